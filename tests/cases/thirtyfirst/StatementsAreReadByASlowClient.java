import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.core.StandardThreadExecutor;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/**
 * A bank in an embedded Tomcat, with Tomcat's own pool of four connections to an H2 in memory. Six browsers ask for
 * balances, 2 ms each; five partners fetch statements over slow lines.
 *
 * NEEDS: libtomcat10-java libh2-java (tomcat10-catalina.jar tomcat10-coyote.jar tomcat10-util.jar
 * tomcat10-util-scan.jar tomcat10-juli.jar tomcat10-servlet-api.jar tomcat10-annotations-api.jar tomcat10-jni.jar
 * tomcat10-jaspic-api.jar tomcat10-el-api.jar tomcat10-jsp-api.jar tomcat10-api.jar tomcat10-jdbc.jar h2.jar)
 *
 * Problem: StatementServlet.doGet writes rows to the client (StatementServlet.stream) with the connection in hand,
 * and a partner reads 16 KB each 5 ms. Truth: Tomcat's threads wait for a connection (a CountDownLatch of the pool's
 * fair queue) because of StatementServlet. Measured: the part of the waiting for connections during which statements
 * have them, evenly shared with balances.
 */
final class StatementsAreReadByASlowClient {
    static final Truth.Diary DIARY = new Truth.Diary();

    static Connection take(DataSource pool) throws SQLException {
        long from = System.nanoTime();
        Connection connection = pool.getConnection();
        DIARY.waited(from, System.nanoTime());
        return connection;
    }

    static final class BalanceServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient DataSource pool;

        BalanceServlet(DataSource pool) {
            this.pool = pool;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try (Connection connection = take(pool)) {
                long from = System.nanoTime();
                response.getWriter().print(balance(connection));
                DIARY.held(1, from, System.nanoTime());
            } catch (SQLException exception) {
                throw new IOException(exception);
            }
        }

        private int balance(Connection connection) throws SQLException {
            Truth.sleep(0.002);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT SUM(amount) FROM booking WHERE id < 20")) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    static final class StatementServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient DataSource pool;

        StatementServlet(DataSource pool) {
            this.pool = pool;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try (Connection connection = take(pool)) {
                long from = System.nanoTime();
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery("SELECT id, amount FROM booking")) {
                    stream(rows, response.getOutputStream());
                }
                DIARY.held(0, from, System.nanoTime());
            } catch (SQLException exception) {
                throw new IOException(exception);
            }
        }

        private void stream(ResultSet rows, OutputStream out) throws SQLException, IOException {
            String blanks = " ".repeat(900);
            while (rows.next()) {
                out.write((rows.getInt(1) + ";" + rows.getInt(2) + blanks + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    static void partner(int port) throws Exception {
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(16 * 1024);
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            socket.getOutputStream().write("GET /statement HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n".getBytes(
                StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            byte[] part = new byte[16 * 1024];
            while (in.readNBytes(part, 0, part.length) > 0) {
                Thread.sleep(5);
            }
        }
        Thread.sleep(50);
    }

    static void browser(int port) throws Exception {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/balance").toURL().openConnection();
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
        Thread.sleep(8);
    }

    /** What goes on beside: tasks by the clock, mail, meters, a log, garbage. */
    static final class Beside {
        static volatile byte[] kept;
        private static int read;

        static void start() throws IOException {
            ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(2, work -> Truth.daemon("clock", work));
            clock.scheduleAtFixedRate(() -> Truth.sleep(0.0005), 50, 50, TimeUnit.MILLISECONDS);
            clock.scheduleWithFixedDelay(() -> Truth.sleep(0.002), 300, 700, TimeUnit.MILLISECONDS);
            LinkedBlockingQueue<Integer> mail = new LinkedBlockingQueue<>();
            Truth.repeat("mailbox", () -> {
                mail.put(1);
                Thread.sleep(9);
            });
            for (int i = 1; i <= 3; i++) {
                Truth.repeat("postman-" + i, () -> {
                    mail.take();
                    Truth.sleep(0.001);
                });
            }
            ReentrantLock meter = new ReentrantLock();
            for (int i = 1; i <= 3; i++) {
                Truth.repeat("meter-" + i, () -> {
                    meter.lock();
                    try {
                        read++;
                    } finally {
                        meter.unlock();
                    }
                    Thread.sleep(4);
                });
            }
            ArrayBlockingQueue<String> lines = new ArrayBlockingQueue<>(256);
            Writer log = Files.newBufferedWriter(Files.createTempFile("beside", ".log"));
            Truth.repeat("log-writer", () -> log.write(lines.take()));
            Truth.repeat("garbage", () -> {
                kept = new byte[1 << 18];
                lines.put("kept " + kept.length + "\n");
                Thread.sleep(6);
            });
        }
    }

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        PoolProperties properties = new PoolProperties();
        properties.setUrl("jdbc:h2:mem:bank;DB_CLOSE_ON_EXIT=FALSE");
        properties.setDriverClassName("org.h2.Driver");
        properties.setJmxEnabled(false);
        properties.setMaxActive(4);
        properties.setInitialSize(4);
        DataSource pool = new DataSource(properties);
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE booking (id INT PRIMARY KEY, amount INT)");
            statement.execute("INSERT INTO booking SELECT x, x * 7 FROM SYSTEM_RANGE(1, 500)");
        }
        File folder = Files.createTempDirectory("bank").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        StandardThreadExecutor threads = new StandardThreadExecutor();
        threads.setName("web");
        threads.setNamePrefix("web-");
        threads.setMaxThreads(12);
        threads.setMinSpareThreads(12);
        tomcat.getService().addExecutor(threads);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("executor", "web");
        tomcat.getConnector().setProperty("socket.txBufSize", "16384");
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "balance", new BalanceServlet(pool));
        Tomcat.addServlet(context, "statement", new StatementServlet(pool));
        context.addServletMappingDecoded("/balance", "balance");
        context.addServletMappingDecoded("/statement", "statement");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        Beside.start();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("browser-" + i, () -> browser(port));
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("partner-" + i, () -> partner(port));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("statements are written to slow lines with a connection in hand")
            .object("CountDownLatch", "ExchangeCountDownLatch", "FairBlockingQueue", "ConnectionPool")
            .culprit("StatementServlet.doGet", "StatementServlet.stream").thread("http-nio-*.*.*.*-auto-*-exec-*").victims("http-nio-*.*.*.*-auto-*-exec-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}
