import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Four routers use a table that is kept in ZooKeeper (a server within the program). When the table
 * changes, after two seconds, a watcher reloads it, and routers wait for that.
 *
 * NEEDS: libzookeeper-java (zookeeper.jar slf4j-nop.jar)
 *
 * Problem: RouteTable.reload asks with a callback and waits for a latch until that has come; but the
 * watcher runs on the client's event thread, which is the one that would run the callback. Truth:
 * stuck; the event thread at the CountDownLatch, the routers at the table's monitor, in wait().
 * Measured: no share; HANG is said when all of them wait.
 */
final class WatcherWaitsForCallback {
    static final class RouteTable implements Watcher {
        private final ZooKeeper client;
        private byte[] routes = {};
        private boolean reloading;
        volatile Thread reloader;

        RouteTable(String address) throws IOException {
            client = new ZooKeeper(address, 10_000, this);
        }

        void open() throws KeeperException, InterruptedException {
            client.create("/routes", routes, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.getData("/routes", true, null);
        }

        @Override
        public void process(WatchedEvent event) {
            if (event.getType() == Event.EventType.NodeDataChanged) {
                try {
                    reload();
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private void reload() throws InterruptedException {
            reloader = Thread.currentThread();
            synchronized (this) {
                reloading = true;
            }
            CountDownLatch loaded = new CountDownLatch(1);
            client.getData("/routes", true, (code, path, context, data, stat) -> {
                publish(data);
                loaded.countDown();
            }, null);
            loaded.await();
        }

        private synchronized void publish(byte[] data) {
            routes = data;
            reloading = false;
            notifyAll();
        }

        synchronized int current() throws InterruptedException {
            while (reloading) {
                wait();
            }
            return routes.length;
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        Path folder = Files.createTempDirectory("routes");
        ZooKeeperServer server = new ZooKeeperServer(folder.toFile(), folder.toFile(), 1000);
        NIOServerCnxnFactory network = new NIOServerCnxnFactory();
        network.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        network.startup(server);
        String address = "127.0.0.1:" + network.getLocalPort();
        RouteTable table = new RouteTable(address);
        table.open();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Thread thread = new Thread(() -> route(table), "router-" + i);
            thread.start();
            threads.add(thread);
        }
        Truth.sayAndHalt(Truth.stuck("the watcher waits, on the client's event thread, for a "
            + "callback that only the event thread could run")
            .object("CountDownLatch", "RouteTable")
            .culprit("RouteTable.reload", "RouteTable.process")
            .thread("main-EventThread").victims("router-*", "main-EventThread").noShare(),
            Truth.seconds(arguments));
        Truth.sleep(2);
        new ZooKeeper(address, 10_000, event -> { }).setData("/routes", new byte[10], -1);
        while (table.reloader == null) {
            Truth.sleep(0.02);
        }
        threads.add(table.reloader);
        Truth.hangsOnce(threads);
    }

    private static void route(RouteTable table) {
        try {
            while (table.current() >= 0) {
                Truth.sleep(0.01);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
