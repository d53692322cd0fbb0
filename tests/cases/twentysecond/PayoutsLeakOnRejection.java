import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/**
 * Five desks look up balances in an H2 database over Tomcat's connection pool (four connections, 400 ms to wait for
 * one), and a clerk pays out.
 *
 * NEEDS: libtomcat9-java libh2-java (tomcat9-jdbc.jar tomcat9-juli.jar h2.jar)
 *
 * Problem: PayoutService.payOut closes its connection, but not where a payout is rejected: each of four rejections, in
 * the first two seconds, takes one connection for good. From then on every desk times out, again and again. Truth:
 * desks wait for a connection of the pool because of PayoutService.payOut. Measured: no share, as nobody does anything
 * with what leaked.
 */
final class PayoutsLeakOnRejection {
    static final AtomicInteger TIMEOUTS = new AtomicInteger(), ANSWERED = new AtomicInteger();

    static final class Sessions {
        private final DataSource source;

        Sessions(DataSource source) {
            this.source = source;
        }

        Connection open() throws SQLException {
            return source.getConnection();
        }

        static PreparedStatement prepare(Connection connection, int account) throws SQLException {
            PreparedStatement statement = connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
            statement.setInt(1, account);
            return statement;
        }
    }

    static final class BalanceDesk {
        private final Sessions sessions;

        BalanceDesk(Sessions sessions) {
            this.sessions = sessions;
        }

        void answer(int account) {
            try (Connection connection = sessions.open();
                 PreparedStatement statement = Sessions.prepare(connection, account);
                 ResultSet row = statement.executeQuery()) {
                row.next();
                Truth.sleep(0.003);
                ANSWERED.incrementAndGet();
            } catch (SQLException exception) {
                TIMEOUTS.incrementAndGet();
            }
        }
    }

    static final class PayoutService {
        private final Sessions sessions;

        PayoutService(Sessions sessions) {
            this.sessions = sessions;
        }

        boolean payOut(int account, int amount) throws SQLException {
            Connection connection = sessions.open();
            PreparedStatement statement = Sessions.prepare(connection, account);
            ResultSet row = statement.executeQuery();
            row.next();
            if (row.getInt(1) < amount) {
                return false;
            }
            Truth.sleep(0.005);
            connection.close();
            return true;
        }
    }

    public static void main(String[] arguments) throws SQLException {
        double seconds = Truth.seconds(arguments);
        PoolProperties properties = new PoolProperties();
        properties.setUrl("jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1");
        properties.setDriverClassName("org.h2.Driver");
        properties.setMaxActive(4);
        properties.setInitialSize(4);
        properties.setMaxIdle(4);
        properties.setMaxWait(400);
        Sessions sessions = new Sessions(new DataSource(properties));
        try (Connection connection = sessions.open()) {
            connection.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            connection.createStatement().execute("INSERT INTO account SELECT x, x * 10 FROM SYSTEM_RANGE(1, 100)");
        }
        BalanceDesk balances = new BalanceDesk(sessions);
        new Truth.Diary().clients("desk", 5, 12, () -> balances.answer(7));
        PayoutService payouts = new PayoutService(sessions);
        Truth.repeat("clerk", () -> {
            for (int i = 0; i < 4; i++) {
                payouts.payOut(50, 10);
                Thread.sleep(450);
                payouts.payOut(1, 1000);
            }
            Thread.sleep(1_000_000);
        });
        Truth.sleep(seconds);
        System.out.printf("%d answered, %d time-outs%n", ANSWERED.get(), TIMEOUTS.get());
        Truth.of("rejected payouts never give their connection back").object("FairBlockingQueue", "ExchangeCountDownLatch",
            "CountDownLatch", "ConnectionPool").culprit("PayoutService.payOut").thread("clerk").victims("desk-*").noShare()
            .say();
        Runtime.getRuntime().halt(0);
    }
}
