import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.xml.sax.SAXException;

/**
 * A portal on Jetty renders pages of templates; the engine that keeps the last twelve of them is synchronized. Nine
 * readers ask over HTTP for one of thirty pages.
 *
 * NEEDS: libjetty9-java libservlet-api-java (jetty9-server.jar jetty9-servlet.jar jetty9-security.jar
 * jetty9-http.jar jetty9-io.jar jetty9-util.jar servlet-api.jar)
 *
 * Problem: a template that is not kept is read and parsed within TemplateEngine.template (TemplateEngine.parse,
 * some milliseconds of processor), and its fragment is asked of another system (FragmentClient.fetch, 14 ms).
 * Truth: Jetty's threads wait to enter the TemplateEngine because of FragmentClient.fetch. Measured: the part of
 * the waiting for the engine during which a fragment is fetched, evenly shared with parsing.
 */
final class FragmentsFetchedInsideTheEngine {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class FragmentClient {
        String fetch(int page) {
            long from = System.nanoTime();
            Truth.sleep(0.014);
            DIARY.held(0, from, System.nanoTime());
            return "<fragment>" + page + "</fragment>";
        }
    }

    static final class TemplateEngine {
        private final Path folder;
        private final FragmentClient fragments = new FragmentClient();
        private final Map<Integer, String> kept = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, String> eldest) {
                return size() > 12;
            }
        };

        TemplateEngine(Path folder) {
            this.folder = folder;
        }

        String render(int page) throws IOException {
            return "<page>" + template(page, System.nanoTime()) + "</page>";
        }

        private synchronized String template(int page, long asked) throws IOException {
            DIARY.waited(asked, System.nanoTime());
            String template = kept.get(page);
            if (template == null) {
                template = parse(page) + fragments.fetch(page);
                kept.put(page, template);
            }
            return template;
        }

        private int parse(int page) throws IOException {
            long from = System.nanoTime();
            byte[] text = Files.readAllBytes(folder.resolve("page" + page + ".xml"));
            try {
                return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(text))
                    .getElementsByTagName("line").getLength();
            } catch (ParserConfigurationException | SAXException exception) {
                throw new IOException(exception);
            } finally {
                DIARY.held(1, from, System.nanoTime());
            }
        }
    }

    static final class PageServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient TemplateEngine engine;

        PageServlet(TemplateEngine engine) {
            this.engine = engine;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print(engine.render(Integer.parseInt(request.getParameter("page"))));
        }
    }

    static void read(int port, Random random) throws Exception {
        URI page = URI.create("http://127.0.0.1:" + port + "/?page=" + random.nextInt(30));
        HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
        Thread.sleep(30);
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("org.eclipse.jetty.util.log.class", "org.eclipse.jetty.util.log.StdErrLog");
        System.setProperty("org.eclipse.jetty.LEVEL", "OFF");
        Path folder = Files.createTempDirectory("portal");
        for (int i = 0; i < 30; i++) {
            String text = "<page>" + "<line key='a'>some words of a portal</line>".repeat(400) + "</page>";
            Files.write(folder.resolve("page" + i + ".xml"), text.getBytes(StandardCharsets.US_ASCII));
        }
        QueuedThreadPool threads = new QueuedThreadPool(16, 16);
        threads.setName("web");
        threads.setDaemon(true);
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new PageServlet(new TemplateEngine(folder))), "/");
        server.setHandler(context);
        server.start();
        int port = connector.getLocalPort();
        for (int i = 1; i <= 9; i++) {
            Random random = new Random(i);
            Truth.repeat("reader-" + i, () -> read(port, random));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("fragments are fetched within the template engine's monitor").object("TemplateEngine")
            .culprit("FragmentClient.fetch").thread("web-*").victims("web-*")
            .share(DIARY.share(0), "the waiting for the engine").say();
        Runtime.getRuntime().halt(0);
    }
}
