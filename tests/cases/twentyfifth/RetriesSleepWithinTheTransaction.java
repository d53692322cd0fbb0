import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * Eight desks book berths. Calls pass through a chain of advice: timing, a transaction (a connection of HikariCP's,
 * three there are, to an H2 in memory), and another try after a conflict. Statements of account read for 120 ms now
 * and then.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: the advice is in the wrong order. Every fifth booking conflicts twice, and Retrying.around sleeps 40 ms and
 * then 80 ms inside of the transaction, whose connection lies idle meanwhile. Truth: desks wait for the pool because
 * of Retrying.around. Measured: sleeping, booking and reading with a connection, within the waiting for one.
 */
final class RetriesSleepWithinTheTransaction {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Connection> BOUND = new ThreadLocal<>();
    /** Since when the thread's connection has been used as it is now. */
    static final ThreadLocal<Long> SINCE = new ThreadLocal<>();

    static void used(int how) {
        long now = System.nanoTime();
        DIARY.held(how, SINCE.get(), now);
        SINCE.set(now);
    }

    static final class Conflict extends SQLException {
        private static final long serialVersionUID = 1;
    }

    interface Call<T> {
        T proceed() throws Exception;
    }

    interface Advice {
        <T> T around(Call<T> next) throws Exception;
    }

    static final class Timing implements Advice {
        private volatile long slowest;

        @Override
        public <T> T around(Call<T> next) throws Exception {
            long from = System.nanoTime();
            try {
                return next.proceed();
            } finally {
                slowest = Math.max(slowest, System.nanoTime() - from);
            }
        }
    }

    record Transactional(DataSource source) implements Advice {
        @Override
        public <T> T around(Call<T> next) throws Exception {
            long from = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                SINCE.set(got);
                BOUND.set(connection);
                connection.setAutoCommit(false);
                T answer = next.proceed();
                connection.commit();
                used(1);
                return answer;
            } finally {
                BOUND.remove();
            }
        }
    }

    record Retrying(int tries) implements Advice {
        @Override
        public <T> T around(Call<T> next) throws Exception {
            for (int i = 1;; i++) {
                try {
                    return next.proceed();
                } catch (Conflict conflict) {
                    if (i == tries) {
                        throw conflict;
                    }
                    used(1);
                    Truth.sleep(0.04 * i);
                    used(0);
                }
            }
        }
    }

    /** Wraps the advice around a call, the first outermost. */
    record Chain(List<Advice> advice) {
        <T> T call(Call<T> target) throws Exception {
            Call<T> call = target;
            for (int i = advice.size() - 1; i >= 0; i--) {
                Advice outer = advice.get(i);
                Call<T> inner = call;
                call = () -> outer.around(inner);
            }
            return call.proceed();
        }
    }

    static final class Berths {
        int book(int ship, int attempt) throws SQLException {
            String text = "UPDATE ship SET booked = booked + 1 WHERE id = ?";
            try (PreparedStatement update = BOUND.get().prepareStatement(text)) {
                update.setInt(1, ship);
                Truth.sleep(0.004);
                if (attempt < 2) {
                    throw new Conflict();
                }
                return update.executeUpdate();
            }
        }

        long account() throws SQLException {
            try (Statement statement = BOUND.get().createStatement();
                var rows = statement.executeQuery("SELECT SUM(booked) FROM ship")) {
                Truth.sleep(0.12);
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    record Desk(Chain chain, Berths berths, int number, int[] bookings) implements Truth.Step {
        @Override
        public void run() throws Exception {
            int[] attempt = {++bookings[0] % 5 == number % 5 ? 0 : 2};
            chain.call(() -> berths.book(number, attempt[0]++));
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:harbour;DB_CLOSE_ON_EXIT=FALSE");
        config.setMaximumPoolSize(3);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE ship (id INT PRIMARY KEY, booked INT)");
            statement.execute("INSERT INTO ship SELECT x, 0 FROM SYSTEM_RANGE(1, 20)");
        }
        Chain chain = new Chain(List.of(new Timing(), new Transactional(source), new Retrying(4)));
        Berths berths = new Berths();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("desk-" + i, new Desk(chain, berths, i, new int[1]));
        }
        Truth.repeat("accounts", () -> {
            chain.call(berths::account);
            Thread.sleep(500);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who tries again after a conflict sleeps within the transaction, with its connection")
            .object("SynchronousQueue", "ConcurrentBag", "HikariPool").culprit("Retrying.around").thread("desk-*")
            .victims("desk-*").share(DIARY.share(0), "the waiting for a connection").say();
    }
}
