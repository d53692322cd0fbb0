import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A shop in an embedded Tomcat. Each page of a visitor loads pieces in parallel (five browsers' connections, one
 * session), and PieceServlet counts them under the session's monitor.
 *
 * NEEDS: libtomcat10-java (tomcat10-catalina.jar tomcat10-coyote.jar tomcat10-util.jar tomcat10-util-scan.jar
 * tomcat10-juli.jar tomcat10-servlet-api.jar tomcat10-annotations-api.jar tomcat10-jni.jar tomcat10-jaspic-api.jar
 * tomcat10-el-api.jar tomcat10-jsp-api.jar tomcat10-api.jar)
 *
 * Problem: BasketServlet.doGet asks a carrier what delivery costs, for 80 ms, under the monitor of the session. Truth:
 * Tomcat's threads wait for the monitor of a StandardSessionFacade because of BasketServlet.doGet or Carrier.quote.
 * Measured: the part of the time until a piece has the monitor during which a basket has it; what takes less than 1 ms
 * is no waiting.
 */
final class DeliveryQuotedWithinSession {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int BASKET = 0, PIECE = 1;

    static final class Carrier {
        private int quotes;

        int quote() {
            Truth.sleep(0.08);
            return 490 + ++quotes % 3;
        }
    }

    static final class BasketServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient Carrier carrier = new Carrier();

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            HttpSession session = request.getSession(true);
            synchronized (session) {
                long from = System.nanoTime();
                session.setAttribute("delivery", carrier.quote());
                DIARY.held(BASKET, from, System.nanoTime());
            }
            response.getWriter().print("basket");
        }
    }

    static final class PieceServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            HttpSession session = request.getSession(true);
            long from = System.nanoTime();
            synchronized (session) {
                long to = System.nanoTime();
                if (to - from > 1_000_000) {
                    DIARY.waited(from, to);
                }
                Object seen = session.getAttribute("seen");
                session.setAttribute("seen", seen == null ? 1 : (Integer) seen + 1);
                Truth.sleep(0.001);
                DIARY.held(PIECE, to, System.nanoTime());
            }
            response.getWriter().print("piece");
        }
    }

    static String get(int port, String path, String cookie) throws IOException {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        if (cookie != null) {
            connection.setRequestProperty("Cookie", cookie);
        }
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
        String set = connection.getHeaderField("Set-Cookie");
        return set == null ? cookie : set.substring(0, set.indexOf(';'));
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Logger.getLogger("").setLevel(Level.OFF);
        File folder = Files.createTempDirectory("shop").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "basket", new BasketServlet());
        Tomcat.addServlet(context, "piece", new PieceServlet());
        context.addServletMappingDecoded("/basket", "basket");
        context.addServletMappingDecoded("/piece", "piece");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        String cookie = get(port, "/piece", null);
        Truth.repeat("browser-basket", () -> {
            get(port, "/basket", cookie);
            Thread.sleep(40);
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("browser-" + i, () -> {
                get(port, "/piece", cookie);
                Thread.sleep(10);
            });
        }
        DIARY.fill(seconds);
        Truth.of("a carrier is asked under the session's monitor").object("StandardSessionFacade")
            .culprit("BasketServlet.doGet", "Carrier.quote").thread("http-nio-*.*.*.*-auto-*-exec-*")
            .victims("http-nio-*.*.*.*-auto-*-exec-*").share(DIARY.share(BASKET), "pieces' waiting for the session")
            .say();
        System.exit(0);
    }
}
