import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A museum's shop in an embedded Tomcat, with six connections of HikariCP to an H2 in memory and a cache of
 * Caffeine's. Five visitors look at postcards and buy some, at leisure.
 *
 * NEEDS: libtomcat10-java libhikaricp-java libh2-java libcaffeine-java libslf4j-java (tomcat10-catalina.jar
 * tomcat10-coyote.jar tomcat10-util.jar tomcat10-util-scan.jar tomcat10-juli.jar tomcat10-servlet-api.jar
 * tomcat10-annotations-api.jar tomcat10-jni.jar tomcat10-jaspic-api.jar tomcat10-el-api.jar tomcat10-jsp-api.jar
 * tomcat10-api.jar HikariCP.jar h2.jar caffeine.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: there are connections and threads enough. Truth: healthy. Measured: nothing.
 */
final class MuseumShopAtEaseHealthy {
    static final class ShopServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient DataSource source;
        private final transient LoadingCache<Integer, String> names;

        ShopServlet(DataSource source) {
            this.source = source;
            names = Caffeine.newBuilder().maximumSize(50).expireAfterWrite(500, TimeUnit.MILLISECONDS).build(this::name);
        }

        private String name(int card) throws SQLException {
            try (Connection connection = source.getConnection();
                    PreparedStatement query = connection.prepareStatement("SELECT name FROM card WHERE id = ?")) {
                query.setInt(1, card);
                try (ResultSet row = query.executeQuery()) {
                    return row.next() ? row.getString(1) : "none";
                }
            }
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print(names.get(Integer.parseInt(request.getParameter("card"))));
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try (Connection connection = source.getConnection();
                    PreparedStatement update =
                        connection.prepareStatement("UPDATE card SET sold = sold + 1 WHERE id = ?")) {
                update.setInt(1, Integer.parseInt(request.getParameter("card")));
                update.executeUpdate();
                Truth.sleep(0.002);
            } catch (SQLException exception) {
                throw new IOException(exception);
            }
        }
    }

    static void visit(int port, Random random) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) URI
            .create("http://127.0.0.1:" + port + "/?card=" + (1 + random.nextInt(40))).toURL().openConnection();
        connection.setRequestMethod(random.nextInt(6) == 0 ? "POST" : "GET");
        try (InputStream in = connection.getInputStream()) {
            in.readAllBytes();
        }
        Thread.sleep(30 + random.nextInt(50));
    }

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:museum;DB_CLOSE_ON_EXIT=FALSE");
        config.setMaximumPoolSize(6);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE card (id INT PRIMARY KEY, name VARCHAR(20), sold INT)");
            statement.execute("INSERT INTO card SELECT x, 'card', 0 FROM SYSTEM_RANGE(1, 40)");
        }
        File folder = Files.createTempDirectory("museum").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "shop", new ShopServlet(source));
        context.addServletMappingDecoded("/", "shop");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Truth.repeat("visitor-" + i, () -> visit(port, random));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there are connections and threads enough").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
