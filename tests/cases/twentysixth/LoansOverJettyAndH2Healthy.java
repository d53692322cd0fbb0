import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A public library's loans: a Jetty server with twelve threads, a pool of six connections to an H2 in memory, six
 * visitors who ask every 70 ms (an answer takes 4 ms), letters that are written in batches each 300 ms, and a review of
 * all books (20 ms, once a second) that keeps one connection of the six.
 *
 * NEEDS: libjetty9-java libservlet-api-java libtomcat9-java libh2-java
 * (jetty9-server.jar jetty9-http.jar jetty9-io.jar jetty9-util.jar servlet-api.jar tomcat9-dbcp.jar tomcat9-juli.jar
 * h2.jar)
 *
 * Problem: none; threads and connections are there for whoever wants one. Truth: healthy. Measured: how long requests
 * waited for a connection, and how many were answered.
 */
final class LoansOverJettyAndH2Healthy {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Loans(BasicDataSource source) {
        private Connection connection() throws SQLException {
            long from = System.nanoTime();
            Connection connection = source.getConnection();
            DIARY.waited(from, System.nanoTime());
            return connection;
        }

        int lend(int book) throws SQLException {
            String text = "SELECT lent FROM book WHERE id = ?";
            try (Connection connection = connection(); PreparedStatement ask = connection.prepareStatement(text)) {
                ask.setInt(1, book);
                Truth.sleep(0.004);
                try (ResultSet rows = ask.executeQuery()) {
                    return rows.next() ? rows.getInt(1) : 0;
                }
            }
        }

        int review() throws SQLException {
            try (Connection connection = connection(); Statement ask = connection.createStatement();
                ResultSet rows = ask.executeQuery("SELECT SUM(lent) FROM book")) {
                Truth.sleep(0.02);
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    static final class Desk extends AbstractHandler {
        private final Loans loans;
        private final LinkedBlockingQueue<String> letters;

        Desk(Loans loans, LinkedBlockingQueue<String> letters) {
            this.loans = loans;
            this.letters = letters;
        }

        @Override
        public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
            try {
                response.getWriter().println(loans.lend(target.length()));
            } catch (SQLException exception) {
                throw new IOException(exception);
            }
            letters.add(target);
            base.setHandled(true);
        }
    }

    record Visitor(int port, int[] answers) implements Truth.Step {
        @Override
        public void run() throws IOException, InterruptedException {
            URI address = URI.create("http://127.0.0.1:" + port + "/book");
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            try (InputStream in = connection.getInputStream()) {
                answers[0] += in.readAllBytes().length > 0 ? 1 : 0;
            }
            Thread.sleep(70);
        }
    }

    /** Gathers letters for a while after the first, and prints them as one. */
    record Printer(LinkedBlockingQueue<String> letters, StringBuilder page) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            page.setLength(0);
            page.append(letters.take());
            long until = System.nanoTime() + 300_000_000;
            String next;
            while ((next = letters.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS)) != null) {
                page.append(next);
            }
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) throws Exception {
        BasicDataSource source = new BasicDataSource();
        source.setUrl("jdbc:h2:mem:books;DB_CLOSE_ON_EXIT=FALSE");
        source.setMaxTotal(6);
        try (Connection connection = source.getConnection(); Statement make = connection.createStatement()) {
            make.execute("CREATE TABLE book (id INT PRIMARY KEY, lent INT)");
            make.execute("INSERT INTO book SELECT x, x FROM SYSTEM_RANGE(1, 50)");
        }
        LinkedBlockingQueue<String> letters = new LinkedBlockingQueue<>();
        Loans loans = new Loans(source);
        QueuedThreadPool pool = new QueuedThreadPool(12, 6);
        pool.setName("loans");
        pool.setDaemon(true);
        Server server = new Server(pool);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Desk(loans, letters));
        server.start();
        int[][] answers = new int[6][1];
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("visitor-" + i, new Visitor(connector.getLocalPort(), answers[i - 1]));
        }
        Truth.repeat("printer", new Printer(letters, new StringBuilder()));
        Truth.repeat("review", () -> {
            Thread.sleep(1000);
            loans.review();
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("%d answers to the first%n", answers[0][0]);
        Truth.healthy("threads and connections are there for whoever wants one").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}
