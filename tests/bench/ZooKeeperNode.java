import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * One ZooKeeper server, as Debian packages it, on a free port, which it prints: `port N`. What it writes
 * lies in a folder in memory, where there is one: a disk's speed is not what is measured.
 */
class ZooKeeperNode {
    public static void main(String[] arguments) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        Path memory = Path.of("/dev/shm");
        Path folder = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "parkmeter-zookeeper")
                : Files.createTempDirectory("parkmeter-zookeeper");
        ZooKeeperServer server = new ZooKeeperServer(folder.toFile(), folder.toFile(), 2000);
        NIOServerCnxnFactory network = new NIOServerCnxnFactory();
        network.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            network.shutdown();
            delete(folder);
        }));
        network.startup(server);
        System.out.println("port " + network.getLocalPort());
        network.join();
    }

    static void delete(Path path) {
        try (var inside = Files.walk(path)) {
            inside.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (java.io.IOException exception) {
            System.err.println(exception);
        }
    }
}
