import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.SemaphoreValve;

/**
 * A catalogue in an embedded Tomcat, whose SemaphoreValve lets three requests in at a time. Three browsers search, and
 * one analyst asks for an export each second.
 *
 * NEEDS: libtomcat10-java (tomcat10-catalina.jar tomcat10-coyote.jar tomcat10-util.jar tomcat10-util-scan.jar
 * tomcat10-juli.jar tomcat10-servlet-api.jar tomcat10-annotations-api.jar tomcat10-jni.jar tomcat10-jaspic-api.jar
 * tomcat10-el-api.jar tomcat10-jsp-api.jar tomcat10-api.jar)
 *
 * Problem: none; two are left for searches while an export runs, which are enough. Truth: healthy. Measured: how many
 * were served.
 */
final class CatalogueAtEaseHealthy {
    static final AtomicInteger SEARCHES = new AtomicInteger(), EXPORTS = new AtomicInteger();

    static final class ExportServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Truth.sleep(0.15);
            response.getWriter().print("rows " + EXPORTS.incrementAndGet());
        }
    }

    static final class SearchServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Truth.sleep(0.003);
            response.getWriter().print("found " + SEARCHES.incrementAndGet());
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
        context.getPipeline().addValve(valve);
        Tomcat.addServlet(context, "export", new ExportServlet());
        Tomcat.addServlet(context, "search", new SearchServlet());
        context.addServletMappingDecoded("/export", "export");
        context.addServletMappingDecoded("/search", "search");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        Truth.repeat("analyst", () -> {
            get(port, "/export");
            Thread.sleep(1000);
        });
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("browser-" + i, () -> {
                get(port, "/search");
                Thread.sleep(80);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d searches, %d exports%n", SEARCHES.get(), EXPORTS.get());
        Truth.healthy("the valve lets more in than there are").say();
        Runtime.getRuntime().halt(0);
    }
}
