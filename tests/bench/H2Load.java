import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;

/**
 * Two clients of one H2 database in memory, as Debian packages it; a unit is a transaction: an order is
 * written, the stock of its article taken down, the latest orders of a customer read, an old order deleted.
 */
class H2Load {
    static final int ARTICLES = 5000, CUSTOMERS = 500, KEPT = 20_000;

    static class Client {
        final Connection connection;
        final PreparedStatement order, stock, latest, remove;
        final Random random;
        long next;

        Client(String url, int number) throws Exception {
            connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            order = connection.prepareStatement("insert into orders values (?, ?, ?, ?)");
            stock = connection.prepareStatement("update articles set stock = stock - 1 where id = ?");
            latest = connection.prepareStatement("select o.id, a.name, o.note from orders o join articles a"
                    + " on a.id = o.article where o.customer = ? order by o.id desc limit 20");
            remove = connection.prepareStatement("delete from orders where id = ?");
            random = new Random(number);
            next = number * 1_000_000_000L;
        }

        long transaction() throws Exception {
            int customer = random.nextInt(CUSTOMERS);
            // each client's own articles: nobody waits for a row
            int article = random.nextInt(ARTICLES / 2) * 2 + (int) (next / 1_000_000_000L);
            order.setLong(1, next);
            order.setInt(2, customer);
            order.setInt(3, article);
            order.setString(4, "order " + next + " of customer " + customer);
            order.executeUpdate();
            stock.setInt(1, article);
            stock.executeUpdate();
            latest.setInt(1, customer);
            int read = 0;
            try (ResultSet rows = latest.executeQuery()) {
                while (rows.next()) {
                    read += rows.getString(2).length() + rows.getString(3).length();
                }
            }
            if (read < 0) {
                throw new AssertionError();
            }
            remove.setLong(1, next - KEPT);
            remove.executeUpdate();
            connection.commit();
            next++;
            return 1;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("create table articles (id int primary key, name varchar(80), stock int)");
            statement.execute("create table orders (id bigint primary key, customer int, article int,"
                    + " note varchar(80))");
            statement.execute("create index by_customer on orders (customer, id)");
            for (int i = 0; i < ARTICLES; i++) {
                statement.execute("insert into articles values (" + i + ", 'article " + i + "', 1000000)");
            }
        }
        Client[] clients = {new Client(url, 0), new Client(url, 1)};
        Turns.take(clients.length, number -> clients[number].transaction());
    }
}
