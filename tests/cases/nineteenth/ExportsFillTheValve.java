import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.SemaphoreValve;
import org.apache.catalina.valves.ValveBase;

/**
 * A catalogue in an embedded Tomcat, whose SemaphoreValve lets three requests in at a time. Five browsers search, which
 * takes 4 ms.
 *
 * NEEDS: libtomcat10-java (tomcat10-catalina.jar tomcat10-coyote.jar tomcat10-util.jar tomcat10-util-scan.jar
 * tomcat10-juli.jar tomcat10-servlet-api.jar tomcat10-annotations-api.jar tomcat10-jni.jar tomcat10-jaspic-api.jar
 * tomcat10-el-api.jar tomcat10-jsp-api.jar tomcat10-api.jar)
 *
 * Problem: three analysts ask for exports, and ExportServlet.doGet (PriceList.write) keeps its permit for 150 ms.
 * Truth: Tomcat's threads wait for the valve's Semaphore because of that. Measured: who is in, evenly shared, against
 * the time from before the valve to the servlet; what takes less than 1 ms is no waiting.
 */
final class ExportsFillTheValve {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int EXPORT = 0, SEARCH = 1;

    /** Notes when a request came to the other valve. */
    static final class Stamp extends ValveBase {
        Stamp() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            request.setAttribute("asked", System.nanoTime());
            getNext().invoke(request, response);
        }
    }

    static long enters(HttpServletRequest request) {
        long asked = (Long) request.getAttribute("asked"), now = System.nanoTime();
        if (now - asked > 1_000_000) {
            DIARY.waited(asked, now);
        }
        return now;
    }

    static final class PriceList {
        private int rows;

        String write() {
            for (int part = 0; part < 5; part++) {
                Truth.sleep(0.03);
                rows += 40;
            }
            return rows + " rows";
        }
    }

    static final class ExportServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long from = enters(request);
            response.getWriter().print(new PriceList().write());
            DIARY.held(EXPORT, from, System.nanoTime());
        }
    }

    static final class SearchServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long from = enters(request);
            Truth.sleep(0.004);
            response.getWriter().print("found");
            DIARY.held(SEARCH, from, System.nanoTime());
        }
    }

    static void get(int port, String path) throws IOException {
        try (InputStream in = URI.create("http://127.0.0.1:" + port + path).toURL().openStream()) {
            in.readAllBytes();
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Logger.getLogger("").setLevel(Level.OFF);
        File folder = Files.createTempDirectory("catalogue").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", folder.getPath());
        SemaphoreValve valve = new SemaphoreValve();
        valve.setConcurrency(3);
        valve.setFairness(true);
        context.getPipeline().addValve(new Stamp());
        context.getPipeline().addValve(valve);
        Tomcat.addServlet(context, "export", new ExportServlet());
        Tomcat.addServlet(context, "search", new SearchServlet());
        context.addServletMappingDecoded("/export", "export");
        context.addServletMappingDecoded("/search", "search");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("analyst-" + i, () -> {
                get(port, "/export");
                Thread.sleep(30);
            });
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("browser-" + i, () -> {
                get(port, "/search");
                Thread.sleep(10);
            });
        }
        DIARY.fill(seconds);
        Truth.of("exports keep the permits of Tomcat's SemaphoreValve").object("Semaphore")
            .culprit("ExportServlet.doGet", "PriceList.write").thread("http-nio-*.*.*.*-auto-*-exec-*")
            .victims("http-nio-*.*.*.*-auto-*-exec-*").share(DIARY.share(EXPORT), "the waiting for a permit").say();
        Runtime.getRuntime().halt(0);
    }
}
