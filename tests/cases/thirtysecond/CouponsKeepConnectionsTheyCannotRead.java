import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;

/**
 * A till of a shop takes orders and redeems coupons with four connections of a pool of Tomcat's DBCP, to an H2 in
 * memory: six threads for orders, two for coupons; who asks for a connection waits for it without a limit.
 *
 * NEEDS: libtomcat10-java libh2-java (tomcat10-dbcp.jar tomcat10-juli.jar h2.jar)
 *
 * Problem: Coupons.redeem does not close its connection if the coupon is none, which is seldom; after some seconds
 * all four are lost. Truth: stuck; all wait for the pool (LinkedBlockingDeque) because of Coupons.redeem. Measured:
 * no share.
 */
final class CouponsKeepConnectionsTheyCannotRead {
    static final class Coupons {
        private final BasicDataSource source;

        Coupons(BasicDataSource source) {
            this.source = source;
        }

        int redeem(int number) throws SQLException {
            Connection connection = source.getConnection();
            Truth.sleep(0.003);
            PreparedStatement query = connection.prepareStatement("SELECT worth FROM coupon WHERE id = ?");
            query.setInt(1, number);
            ResultSet row = query.executeQuery();
            if (!row.next()) {
                return 0;
            }
            int worth = row.getInt(1);
            connection.close();
            return worth;
        }
    }

    static final class Orders {
        private final BasicDataSource source;

        Orders(BasicDataSource source) {
            this.source = source;
        }

        void place(int number) throws SQLException {
            try (Connection connection = source.getConnection();
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
                insert.setInt(1, number);
                insert.executeUpdate();
                Truth.sleep(0.004);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        BasicDataSource source = new BasicDataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:till;DB_CLOSE_ON_EXIT=FALSE");
        source.setMaxTotal(4);
        source.setMaxIdle(4);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE coupon (id INT PRIMARY KEY, worth INT)");
            statement.execute("INSERT INTO coupon SELECT x, 5 FROM SYSTEM_RANGE(1, 60)");
            statement.execute("CREATE TABLE orders (id INT)");
        }
        Coupons coupons = new Coupons(source);
        Orders orders = new Orders(source);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(i);
            threads.add(Truth.repeat("coupon-" + i, () -> {
                coupons.redeem(1 + random.nextInt(61));
                Thread.sleep(12);
            }));
        }
        for (int i = 1; i <= 6; i++) {
            int number = i;
            threads.add(Truth.repeat("order-" + i, () -> {
                orders.place(number);
                Thread.sleep(9);
            }));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("coupons that are none keep their connection")
            .object("LinkedBlockingDeque", "ConditionObject", "GenericObjectPool").culprit("Coupons.redeem")
            .thread("coupon-*").victims("order-*", "coupon-*").noShare(), Truth.seconds(arguments));
        Truth.sleep(Truth.seconds(arguments) + 5);
    }
}
