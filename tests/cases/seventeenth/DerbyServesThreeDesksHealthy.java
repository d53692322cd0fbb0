import java.io.PrintWriter;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.derby.drda.NetworkServerControl;

/**
 * A Derby network server in the process, with its threads for connections and its own housekeepers; three desks enter
 * and find bookings over it, each its own.
 *
 * NEEDS: libderby-java (derby.jar derbynet.jar derbyclient.jar)
 *
 * Problem: none: a desk asks every 40 ms, and its statement takes some milliseconds. Truth: healthy. Measured: how many
 * statements there were.
 */
final class DerbyServesThreeDesksHealthy {
    static final AtomicInteger STATEMENTS = new AtomicInteger();

    static final class Desk {
        private final PreparedStatement enter, find;
        private final int first;
        private int count;

        Desk(String url, int number) throws SQLException {
            Connection connection = DriverManager.getConnection(url);
            enter = connection.prepareStatement("INSERT INTO booking VALUES (?, 'two persons')");
            find = connection.prepareStatement("SELECT what FROM booking WHERE id = ?");
            first = number * 100_000;
        }

        void book() throws SQLException, InterruptedException {
            enter.setInt(1, first + ++count);
            enter.executeUpdate();
            find.setInt(1, first + count);
            find.executeQuery().close();
            STATEMENTS.addAndGet(2);
            Thread.sleep(40);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        System.setProperty("derby.stream.error.file", "/dev/null");
        int port;
        try (java.net.ServerSocket free = new java.net.ServerSocket(0)) {
            port = free.getLocalPort();
        }
        NetworkServerControl server = new NetworkServerControl(InetAddress.getLoopbackAddress(), port);
        server.start(new PrintWriter(System.err));
        String url = "jdbc:derby://localhost:" + port + "/memory:desk;create=true";
        Connection first = null;
        for (int i = 0; first == null; i++) {
            try {
                first = DriverManager.getConnection(url);
            } catch (SQLException exception) {
                if (i > 100) {
                    throw exception;
                }
                Thread.sleep(50);
            }
        }
        try (Statement statement = first.createStatement()) {
            statement.execute("CREATE TABLE booking (id INT PRIMARY KEY, what VARCHAR(40))");
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("desk-" + i, new Desk(url, i)::book);
        }
        Truth.sleep(seconds);
        System.out.printf("%d statements%n", STATEMENTS.get());
        Truth.healthy("three desks ask little").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
