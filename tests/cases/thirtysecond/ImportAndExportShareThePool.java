import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;

/**
 * A library's catalogue: eight readers look up titles with one of three connections of a pool of Tomcat's DBCP, to
 * an H2 in memory, 3 ms each.
 *
 * NEEDS: libtomcat10-java libh2-java (tomcat10-dbcp.jar tomcat10-juli.jar h2.jar)
 *
 * Problem: an importer has a connection while it reads titles of a partner and inserts them, Importer.load, some 60
 * ms; an exporter while it writes a file, Exporter.write, some 25 ms. Truth: readers wait for the pool
 * (LinkedBlockingDeque) because of Importer.load. Measured: the part of the waiting for a connection that
 * connections are with the importer, evenly shared with whoever else has one.
 */
final class ImportAndExportShareThePool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static Connection take(BasicDataSource source) throws SQLException {
        long from = System.nanoTime();
        Connection connection = source.getConnection();
        DIARY.waited(from, System.nanoTime());
        return connection;
    }

    record Importer(BasicDataSource source, int number) {
        void load() throws SQLException {
            try (Connection connection = take(source)) {
                long from = System.nanoTime();
                try (PreparedStatement insert =
                        connection.prepareStatement("MERGE INTO title KEY (id) VALUES (?, ?)")) {
                    for (int i = 0; i < 10; i++) {
                        Truth.sleep(0.006);
                        insert.setInt(1, number * 100 + i);
                        insert.setString(2, "title " + i);
                        insert.executeUpdate();
                    }
                }
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    record Exporter(BasicDataSource source, Path file) {
        void write() throws SQLException, IOException {
            try (Connection connection = take(source)) {
                long from = System.nanoTime();
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery("SELECT id, name FROM title");
                        BufferedWriter out = Files.newBufferedWriter(file)) {
                    for (int i = 0; rows.next(); i++) {
                        out.write(rows.getInt(1) + ";" + rows.getString(2) + "\n");
                        if (i % 100 == 0) {
                            out.flush();
                            Truth.sleep(0.005);
                        }
                    }
                }
                DIARY.held(1, from, System.nanoTime());
            }
        }
    }

    record Reader(BasicDataSource source, int number) {
        void lookUp() throws SQLException {
            try (Connection connection = take(source)) {
                long from = System.nanoTime();
                try (PreparedStatement query = connection.prepareStatement("SELECT name FROM title WHERE id = ?")) {
                    query.setInt(1, number);
                    query.executeQuery().next();
                }
                Truth.sleep(0.003);
                DIARY.held(2, from, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        BasicDataSource source = new BasicDataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:library;DB_CLOSE_ON_EXIT=FALSE");
        source.setMaxTotal(3);
        source.setMaxIdle(3);
        source.setInitialSize(3);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE title (id INT PRIMARY KEY, name VARCHAR(40))");
            statement.execute("INSERT INTO title SELECT x, 'title' FROM SYSTEM_RANGE(1, 480)");
        }
        Importer importer = new Importer(source, 1);
        Truth.repeat("importer", () -> {
            importer.load();
            Thread.sleep(20);
        });
        Importer second = new Importer(source, 2);
        Truth.repeat("importer-of-maps", () -> {
            second.load();
            Thread.sleep(60);
        });
        Exporter exporter = new Exporter(source, Files.createTempFile("titles", ".csv"));
        Truth.repeat("exporter", () -> {
            exporter.write();
            Thread.sleep(40);
        });
        for (int i = 1; i <= 8; i++) {
            Reader reader = new Reader(source, i);
            Truth.repeat("reader-" + i, () -> {
                reader.lookUp();
                Thread.sleep(25);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an import keeps a connection while it reads of a partner")
            .object("LinkedBlockingDeque", "ConditionObject", "GenericObjectPool").culprit("Importer.load")
            .thread("importer", "importer-of-maps").victims("reader-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}
