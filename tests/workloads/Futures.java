import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that join CompletableFutures which a pool completes. Arguments: seconds to measure (0 = until
 * killed), seconds to warm up (1), clients (4). Prints `pairs N wall_ns N cpu_ns N`; a pair is one join.
 */
class Futures {
    static final AtomicLong DONE = new AtomicLong();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        int clients = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4;
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        for (int i = 0; i < clients; i++) {
            new Thread(() -> ask(pool), "client-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Measure.pairs(warmUp, seconds, DONE::get);
        System.exit(0);
    }

    static void ask(ExecutorService pool) {
        while (!stopped) {
            CompletableFuture<Integer> half = CompletableFuture.supplyAsync(() -> 20, pool);
            CompletableFuture<Integer> whole = half.thenApplyAsync(value -> value + 22, pool);
            if (whole.join() != 42) {
                throw new AssertionError();
            }
            DONE.incrementAndGet();
        }
    }
}
