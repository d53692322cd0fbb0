import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;

/**
 * A shop over Tomcat's DBCP (three connections) and an HSQLDB: seven pages show an account's balance, or a basket. A
 * statement takes 1.5 ms from here to the database and back. Stocktaking reads for 40 ms now and then.
 *
 * NEEDS: libtomcat9-java libhsqldb-java (tomcat9-dbcp.jar tomcat9-juli.jar hsqldb.jar)
 *
 * Problem: a basket has 24 lines, and Baskets.articles asks for the article of each by a statement of its own, 40 ms
 * for what one join would tell. Truth: pages wait for the pool because of Baskets.articles. Measured: asking line by
 * line, the other statements of pages, and stocktaking, with a connection, within the waiting for one.
 */
final class BasketsAskedLineByLine {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Reads one column of numbers. */
    static List<Integer> ask(Connection connection, String text, int key) throws SQLException {
        List<Integer> answer = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setInt(1, key);
            Truth.sleep(0.0015);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    answer.add(rows.getInt(1));
                }
            }
        }
        return answer;
    }

    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    record Template(DataSource source) {
        <T> T run(int kind, Work<T> work) throws SQLException {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                try {
                    return work.with(connection);
                } finally {
                    DIARY.held(kind, got, System.nanoTime());
                }
            }
        }
    }

    record Accounts(Template template) {
        int balance(int customer) throws SQLException {
            return template.run(1, connection ->
                ask(connection, "SELECT balance FROM customer WHERE id = ?", customer).get(0)
                    + ask(connection, "SELECT COUNT(*) FROM line WHERE basket = ?", customer).get(0));
        }
    }

    record Baskets(Template template) {
        private int articles(Connection connection, int basket) throws SQLException {
            int sum = 0;
            for (int article : ask(connection, "SELECT article FROM line WHERE basket = ?", basket)) {
                sum += ask(connection, "SELECT price FROM article WHERE id = ?", article).get(0);
            }
            return sum;
        }

        int price(int basket) throws SQLException {
            return template.run(0, connection -> articles(connection, basket));
        }
    }

    record Stocktaking(Template template) {
        int count() throws SQLException {
            return template.run(2, connection -> {
                Truth.sleep(0.04);
                return ask(connection, "SELECT COUNT(*) FROM article WHERE price > ?", 10).get(0);
            });
        }
    }

    static void fill(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection(); var make = connection.createStatement()) {
            make.execute("CREATE TABLE customer (id INT PRIMARY KEY, balance INT)");
            make.execute("CREATE TABLE article (id INT PRIMARY KEY, price INT)");
            make.execute("CREATE TABLE line (id INT PRIMARY KEY, basket INT, article INT)");
            make.execute("CREATE INDEX by_basket ON line (basket)");
            for (int id = 0; id < 24; id++) {
                make.execute("INSERT INTO article VALUES (" + id + ", " + id * 10 + ")");
            }
            for (int basket = 1; basket <= 7; basket++) {
                make.execute("INSERT INTO customer VALUES (" + basket + ", 100)");
                for (int i = 0; i < 24; i++) {
                    make.execute("INSERT INTO line VALUES (" + (basket * 100 + i) + ", " + basket + ", " + i + ")");
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        BasicDataSource source = new BasicDataSource();
        source.setUrl("jdbc:hsqldb:mem:shop");
        source.setDriverClassName("org.hsqldb.jdbc.JDBCDriver");
        source.setMaxTotal(3);
        fill(source);
        Template template = new Template(source);
        Accounts accounts = new Accounts(template);
        Baskets baskets = new Baskets(template);
        for (int i = 1; i <= 7; i++) {
            int customer = i;
            int[] turn = {i};
            Truth.repeat("page-" + i, () -> {
                if (++turn[0] % 3 == 0) {
                    baskets.price(customer);
                } else {
                    accounts.balance(customer);
                }
                Thread.sleep(8);
            });
        }
        Stocktaking stocktaking = new Stocktaking(template);
        Truth.repeat("stocktaking", () -> {
            stocktaking.count();
            Thread.sleep(120);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("balances %.3f stocktaking %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("each line of a basket is asked for by a statement of its own")
            .object("ConditionObject", "LinkedBlockingDeque", "GenericObjectPool")
            .culprit("Baskets.articles", "Baskets.price").thread("page-*").victims("page-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
    }
}
