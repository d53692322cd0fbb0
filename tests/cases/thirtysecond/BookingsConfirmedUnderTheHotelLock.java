import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Hotels in an embedded Tomcat. Eight guests book over HTTP; each hotel has a lock, and all want the one at the
 * sea. Four others ask for the opening hours, without a lock.
 *
 * NEEDS: libtomcat10-java libh2-java (tomcat10-catalina.jar tomcat10-coyote.jar tomcat10-util.jar
 * tomcat10-util-scan.jar tomcat10-juli.jar tomcat10-servlet-api.jar tomcat10-annotations-api.jar tomcat10-jni.jar
 * tomcat10-jaspic-api.jar tomcat10-el-api.jar tomcat10-jsp-api.jar tomcat10-api.jar h2.jar)
 *
 * Problem: BookingServlet.doPost, with the hotel's lock, fits the rooms (RoomPlan.fit, some milliseconds of
 * processor), writes a row (Ledger.write), and has a letter sent (Mailer.confirm, 11 ms). Truth: Tomcat's threads
 * wait for a ReentrantLock because of Mailer.confirm. Measured: the part of the waiting for a lock during which
 * letters are sent, evenly shared with the other two.
 */
final class BookingsConfirmedUnderTheHotelLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Mailer {
        void confirm(String guest) {
            long from = System.nanoTime();
            if (!guest.isEmpty()) {
                Truth.sleep(0.011);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class RoomPlan {
        private final byte[] nights = new byte[1 << 20];

        long fit(int rooms) {
            long from = System.nanoTime();
            CRC32 best = new CRC32();
            for (int i = 0; i < rooms; i++) {
                nights[i] = (byte) i;
                best.update(nights);
            }
            DIARY.held(1, from, System.nanoTime());
            return best.getValue();
        }
    }

    static final class Ledger {
        private final Connection connection;

        Ledger(Connection connection) {
            this.connection = connection;
        }

        void write(String guest, long rooms) throws SQLException {
            long from = System.nanoTime();
            synchronized (connection) {
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO booking VALUES (?, ?)")) {
                    insert.setString(1, guest);
                    insert.setLong(2, rooms);
                    insert.executeUpdate();
                }
            }
            DIARY.held(2, from, System.nanoTime());
        }
    }

    static final class BookingServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient ConcurrentHashMap<String, ReentrantLock> hotels = new ConcurrentHashMap<>();
        private final transient RoomPlan plan = new RoomPlan();
        private final transient Mailer mailer = new Mailer();
        private final transient Ledger ledger;

        BookingServlet(Ledger ledger) {
            this.ledger = ledger;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            ReentrantLock hotel = hotels.computeIfAbsent(request.getParameter("hotel"), name -> new ReentrantLock());
            String guest = request.getParameter("guest");
            long asked = System.nanoTime();
            hotel.lock();
            DIARY.waited(asked, System.nanoTime());
            try {
                ledger.write(guest, plan.fit(24));
                mailer.confirm(guest);
            } catch (SQLException exception) {
                throw new IOException(exception);
            } finally {
                hotel.unlock();
            }
            response.getWriter().print("booked");
        }
    }

    static final class HoursServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("8 to 20");
        }
    }

    static void call(int port, String method, String path, long pause) throws Exception {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setRequestMethod(method);
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
        Thread.sleep(pause);
    }

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:hotel;DB_CLOSE_ON_EXIT=FALSE");
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE booking (guest VARCHAR(40), rooms BIGINT)");
        }
        File folder = Files.createTempDirectory("hotel").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "book", new BookingServlet(new Ledger(connection)));
        Tomcat.addServlet(context, "hours", new HoursServlet());
        context.addServletMappingDecoded("/book", "book");
        context.addServletMappingDecoded("/hours", "hours");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        for (int i = 1; i <= 8; i++) {
            String path = "/book?hotel=sea&guest=g" + i;
            Truth.repeat("guest-" + i, () -> call(port, "POST", path, 20));
        }
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("passer-" + i, () -> call(port, "GET", "/hours", 15));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("letters are sent with a hotel's lock in hand").object("ReentrantLock").culprit("Mailer.confirm")
            .thread("http-nio-*.*.*.*-auto-*-exec-*").victims("http-nio-*.*.*.*-auto-*-exec-*")
            .share(DIARY.share(0), "the waiting for a hotel").say();
        Runtime.getRuntime().halt(0);
    }
}
