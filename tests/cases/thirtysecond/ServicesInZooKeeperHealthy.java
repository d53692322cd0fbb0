import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Three services register with a ZooKeeper server in the same process, watch the settings there, and take what its
 * watcher puts into a queue; an operator changes the settings now and then.
 *
 * NEEDS: libzookeeper-java libslf4j-java (zookeeper.jar zookeeper-jute.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: settings seldom change. Truth: healthy. Measured: nothing.
 */
final class ServicesInZooKeeperHealthy {
    static final class Service implements Watcher {
        private final LinkedBlockingQueue<String> changes = new LinkedBlockingQueue<>();
        private final CountDownLatch connected = new CountDownLatch(1);
        private final ZooKeeper zooKeeper;
        private final int number;

        Service(int port, int number) throws Exception {
            this.number = number;
            zooKeeper = new ZooKeeper("127.0.0.1:" + port, 6000, this);
            connected.await();
            zooKeeper.create("/service-" + number, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            zooKeeper.getData("/settings", true, null);
        }

        @Override
        public void process(WatchedEvent event) {
            if (event.getType() == Event.EventType.NodeDataChanged) {
                changes.add(event.getPath());
            }
            connected.countDown();
        }

        void next() throws Exception {
            String path = changes.take();
            zooKeeper.getData(path, true, null);
            Thread.sleep(2);
        }

        void report() throws Exception {
            zooKeeper.setData("/service-" + number, "alive".getBytes(StandardCharsets.US_ASCII), -1);
            Thread.sleep(400);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        File folder = Files.createTempDirectory("zookeeper").toFile();
        ZooKeeperServer server = new ZooKeeperServer(folder, folder, 2000);
        ServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress("127.0.0.1", 0), 20);
        factory.startup(server);
        int port = factory.getLocalPort();
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper operator = new ZooKeeper("127.0.0.1:" + port, 6000, event -> connected.countDown());
        connected.await();
        operator.create("/settings", new byte[8], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int i = 1; i <= 3; i++) {
            Service service = new Service(port, i);
            Truth.repeat("service-" + i, service::next);
            Truth.repeat("reporter-" + i, service::report);
        }
        Truth.repeat("operator", () -> {
            operator.setData("/settings", new byte[8], -1);
            Thread.sleep(900);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("settings seldom change").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
