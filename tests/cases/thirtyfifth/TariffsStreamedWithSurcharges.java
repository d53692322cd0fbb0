import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A carrier's tariffs are in HSQLDB behind a c3p0 pool of three. Six bookings read one (2 ms, with a
 * little courtesy).
 *
 * NEEDS: libc3p0-java libhsqldb-java (c3p0.jar hsqldb.jar)
 *
 * Problem: two exports read all tariffs by a lazy stream, which asks for a surcharge for each row as
 * it comes (SurchargeClient.ask, 5 ms, eight rows), so that the connection is kept. Truth: bookings
 * wait for c3p0's pool because of SurchargeClient.ask. Measured: the part of the bookings' waiting for
 * a connection during which surcharges are asked for, evenly shared with who else has one.
 */
final class TariffsStreamedWithSurcharges {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Tariff(int number, double price) {
    }

    static final class SurchargeClient {
        double ask(int number) {
            Truth.sleep(0.005);
            return number * 0.01;
        }
    }

    static final class TariffDao {
        private final ComboPooledDataSource source;

        TariffDao(ComboPooledDataSource source) {
            this.source = source;
        }

        double price(int number) throws SQLException {
            long asked = System.nanoTime();
            try (Connection connection = source.getConnection()) {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                try (PreparedStatement query = connection.prepareStatement("SELECT price FROM tariff WHERE id = ?")) {
                    query.setInt(1, number);
                    try (ResultSet row = query.executeQuery()) {
                        row.next();
                        Truth.sleep(0.002);
                        return row.getDouble(1);
                    }
                } finally {
                    DIARY.held(1, from, System.nanoTime());
                }
            }
        }

        Stream<Tariff> all(Connection connection) throws SQLException {
            ResultSet rows = connection.createStatement().executeQuery("SELECT id, price FROM tariff");
            Iterator<Tariff> each = new Iterator<>() {
                @Override
                public boolean hasNext() {
                    try {
                        return rows.next();
                    } catch (SQLException exception) {
                        throw new IllegalStateException(exception);
                    }
                }

                @Override
                public Tariff next() {
                    try {
                        return new Tariff(rows.getInt(1), rows.getDouble(2));
                    } catch (SQLException exception) {
                        throw new IllegalStateException(exception);
                    }
                }
            };
            return StreamSupport.stream(Spliterators.spliteratorUnknownSize(each, 0), false);
        }
    }

    static final class TariffExport {
        private final TariffDao tariffs;
        private final SurchargeClient surcharges = new SurchargeClient();

        TariffExport(TariffDao tariffs) {
            this.tariffs = tariffs;
        }

        double write() throws SQLException {
            try (Connection connection = tariffs.source.getConnection()) {
                long from = System.nanoTime();
                try (Stream<Tariff> all = tariffs.all(connection)) {
                    return all.map(this::surcharged).mapToDouble(Tariff::price).sum();
                } finally {
                    DIARY.held(0, from, System.nanoTime());
                }
            }
        }

        private Tariff surcharged(Tariff tariff) {
            return new Tariff(tariff.number(), tariff.price() + surcharges.ask(tariff.number()));
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("com.mchange.v2.log.MLog", "com.mchange.v2.log.FallbackMLog");
        System.setProperty("com.mchange.v2.log.FallbackMLog.DEFAULT_CUTOFF_LEVEL", "OFF");
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setDriverClass("org.hsqldb.jdbc.JDBCDriver");
        source.setJdbcUrl("jdbc:hsqldb:mem:tariffs");
        source.setUser("sa");
        source.setPassword("");
        source.setMinPoolSize(3);
        source.setInitialPoolSize(3);
        source.setMaxPoolSize(3);
        List<Thread> all = new ArrayList<>();
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE tariff (id INT PRIMARY KEY, price DOUBLE)");
            for (int i = 1; i <= 8; i++) {
                statement.execute("INSERT INTO tariff VALUES (" + i + ", " + i * 10 + ")");
            }
        }
        TariffDao tariffs = new TariffDao(source);
        TariffExport export = new TariffExport(tariffs);
        for (int i = 1; i <= 2; i++) {
            all.add(Truth.repeat("export-" + i, () -> {
                export.write();
                Thread.sleep(15);
            }));
        }
        for (int i = 1; i <= 6; i++) {
            int number = i;
            all.add(Truth.repeat("booking-" + i, () -> {
                tariffs.price(number);
                Thread.sleep(5);
            }));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a lazy stream asks a service for each row with the connection in hand")
            .object("BasicResourcePool", "C3P0PooledConnectionPool", "ComboPooledDataSource")
            .culprit("SurchargeClient.ask").thread("export-*").victims("booking-*")
            .share(DIARY.share(0), "the bookings' waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}
