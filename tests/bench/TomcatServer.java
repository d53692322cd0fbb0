import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Tomcat with one small servlet on a free port, which it prints: `port N`. Each request formats a page
 * and looks into a cache under a lock.
 */
class TomcatServer {
    static final ReentrantLock CACHE = new ReentrantLock();
    static long hits;

    public static void main(String[] arguments) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("parkmeter-tomcat").toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("maxThreads", "40");
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "page", new Page());
        context.addServletMappingDecoded("/", "page");
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }

    static class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            long hit;
            CACHE.lock();
            try {
                hit = ++hits;
            } finally {
                CACHE.unlock();
            }
            StringBuilder page = new StringBuilder();
            for (int i = 0; i < 40; i++) {
                page.append("<p>line ").append(i).append(" of page ").append(hit % 100).append("</p>");
            }
            response.setContentType("text/html");
            response.getWriter().write(page.toString());
        }
    }
}
