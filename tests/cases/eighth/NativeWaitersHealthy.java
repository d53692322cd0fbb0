import com.sun.net.httpserver.HttpServer;
import java.net.DatagramSocket;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A service with nothing to do: it accepts, selects, receives, watches a folder, waits for a process it started,
 * has a web server that nobody asks, and a job that is due every two seconds. Its main thread waits for the
 * order to shut down.
 *
 * Problem: none. Everybody waits for the world. Truth: healthy.
 */
final class NativeWaitersHealthy {
    static final class Job {
        private int times;

        void run() {
            times += 1;
        }
    }

    static final class Inbox {
        static void watch() throws Exception {
            Path folder = Path.of(System.getProperty("java.io.tmpdir"));
            WatchService watch = FileSystems.getDefault().newWatchService();
            folder.register(watch, StandardWatchEventKinds.ENTRY_DELETE);
            while (true) {
                watch.take().reset();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        InetAddress here = InetAddress.getLoopbackAddress();
        ServerSocket server = new ServerSocket(0, 5, here);
        Truth.repeat("acceptor", server::accept);
        Selector selector = Selector.open();
        Truth.repeat("selector", selector::select);
        DatagramSocket socket = new DatagramSocket(0, here);
        Truth.repeat("receiver", () -> socket.receive(new DatagramPacket(new byte[10], 10)));
        Truth.repeat("inbox", Inbox::watch);
        Process child = new ProcessBuilder("sleep", String.valueOf(seconds + 5)).start();
        Truth.repeat("child-guard", () -> {
            child.waitFor();
            Thread.sleep(1_000_000);
        });
        HttpServer web = HttpServer.create(new InetSocketAddress(here, 0), 0);
        web.setExecutor(Executors.newFixedThreadPool(3));
        web.start();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleAtFixedRate(new Job()::run, 1, 2, TimeUnit.SECONDS);
        CompletableFuture<Void> shutdown = new CompletableFuture<>();
        Truth.repeat("service", shutdown::join);
        Truth.sleep(seconds);
        child.destroy();
        Truth.healthy("a service at rest waits for sockets, files, a process and its timer").object().culprit()
            .thread().victims().noShare().say();
        System.exit(0);
    }
}
