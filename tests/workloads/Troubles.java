import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What findings name and no other workload shows, by the first argument: tasks that wait for tasks of their
 * `own-pool`; two threads that end each other's waits until both wait (`mutual`); one of many replies
 * that is `forgotten`; a thread that looks every 5 ms (`polling`); a barrier that waits for the
 * `last` of four; a lock whose owner has ended and `left` it locked (or `left-virtually`, a virtual thread's); a pool
 * whose threads are all `busy` asleep, with three event loops beside it; a site that allocates all, of which much
 * is alive in each collection (`garbage`). Second argument: seconds, after which
 * it is killed.
 */
class Troubles {
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "own-pool" -> ownPool();
            case "mutual" -> mutual();
            case "forgotten" -> forgotten();
            case "polling" -> start("poller", Troubles::poll);
            case "last" -> waitForLast();
            case "left" -> leaveLocked(false);
            case "left-virtually" -> leaveLocked(true);
            case "busy" -> {
                busy();
                for (int i = 0; i < 3; i++) {
                    serve();
                }
            }
            case "garbage" -> garbage();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        Thread.sleep(Long.parseLong(arguments[1]) * 1000);
        Runtime.getRuntime().halt(0);
    }

    interface Task {
        void run() throws Exception;
    }

    static Thread start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    /** Two threads that are asleep in one task after the other. */
    static void busy() {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 10000; i++) {
            pool.submit(() -> {
                Thread.sleep(200);
                return null;
            });
        }
    }

    /** A server whose handler is asleep on the thread that listens, and who always asks it something. */
    static void serve() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", Troubles::handle);
        server.start();
        URL page = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        start("asker", () -> {
            while (true) {
                page.openStream().close();
            }
        });
    }

    static void handle(HttpExchange exchange) throws IOException {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** Twenty times there is room for both tasks; then both threads wait for the inner one. */
    static void ownPool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 20; i++) {
            pool.submit(() -> report(pool)).get();
        }
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            pool.submit(() -> {
                both.countDown();
                both.await();
                return report(pool);
            });
        }
    }

    static Object report(ExecutorService pool) throws Exception {
        Future<Object> page = pool.submit(() -> {
            Thread.sleep(5);
            return null;
        });
        return page.get();
    }

    /** Twenty times each waits for the other's latch; then neither opens one. */
    static void mutual() {
        CountDownLatch[] left = latches(), right = latches();
        start("alpha", () -> {
            for (int i = 0; i < 20; i++) {
                Thread.sleep(5);
                left[i].countDown();
                awaitRight(right[i]);
            }
            awaitRight(right[20]);
        });
        start("beta", () -> {
            for (int i = 0; i < 20; i++) {
                awaitLeft(left[i]);
                Thread.sleep(5);
                right[i].countDown();
            }
            awaitLeft(left[20]);
        });
    }

    static final ReentrantLock REGISTRY = new ReentrantLock();

    /** An exception takes the owner away before it has released the lock. */
    static void leaveLocked(boolean virtually) throws Exception {
        if (virtually) {
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, (Runnable) REGISTRY::lock)).join();
        } else {
            start("registrar", REGISTRY::lock).join();
        }
        for (int i = 0; i < 3; i++) {
            start("reader-" + i, REGISTRY::lock);
        }
        System.out.println("ready");
    }

    static CountDownLatch[] latches() {
        CountDownLatch[] latches = new CountDownLatch[21];
        Arrays.setAll(latches, i -> new CountDownLatch(1));
        return latches;
    }

    static void awaitLeft(CountDownLatch latch) throws Exception {
        latch.await();
    }

    static void awaitRight(CountDownLatch latch) throws Exception {
        latch.await();
    }

    static void forgotten() throws Exception {
        LinkedBlockingQueue<CompletableFuture<String>> requests = new LinkedBlockingQueue<>();
        start("worker", () -> serve(requests));
        for (int i = 0; i < 3; i++) {
            start("client-" + (i + 1), () -> {
                while (true) {
                    ask(requests);
                }
            });
        }
    }

    static void serve(LinkedBlockingQueue<CompletableFuture<String>> requests) throws Exception {
        for (int i = 0; ; i++) {
            CompletableFuture<String> request = requests.take();
            Thread.sleep(5);
            if (i != 20) {
                request.complete("");
            }
        }
    }

    static void ask(LinkedBlockingQueue<CompletableFuture<String>> requests) {
        CompletableFuture<String> reply = new CompletableFuture<>();
        requests.add(reply);
        reply.join();
    }

    static void poll() {
        while (true) {
            LockSupport.parkNanos(Troubles.class, 5_000_000);
        }
    }

    static void waitForLast() {
        CyclicBarrier barrier = new CyclicBarrier(4);
        for (int i = 0; i < 4; i++) {
            int millis = i < 3 ? 5 : 60;
            start("part-" + (i + 1), () -> {
                while (true) {
                    Thread.sleep(millis);
                    barrier.await();
                }
            });
        }
    }

    /** Each lives until 100 000 more are made: what a young collection finds alive is young. */
    static void garbage() {
        Object[] young = new Object[100_000];
        start("spender", () -> {
            for (int i = 0; ; i = (i + 1) % young.length) {
                young[i] = spend();
            }
        });
    }

    static Object spend() {
        return new byte[64];
    }
}
