import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The healthy twin of the pools that run dry: sixteen connections for eight http threads and two
 * reports. The reports keep theirs long, but nobody misses it.
 *
 * Truth: nothing to be found; the pool is never empty. A logger thread idles on its own queue.
 */
class AmplePoolHealthy {
    private static final BlockingQueue<StringBuilder> pool = new LinkedBlockingQueue<>();
    private static final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    public static void main(String[] args) {
        for (int i = 0; i < 16; i++) {
            pool.add(new StringBuilder("connection " + i));
        }
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            spawn("http-" + i, () -> {
                use(3 + random.nextInt(3));
                Thread.sleep(5 + random.nextInt(20));
            });
        }
        for (int i = 1; i <= 2; i++) {
            spawn("report-" + i, () -> {
                use(400);
                log.add("report done");
                Thread.sleep(30);
            });
        }
        spawn("logger", () -> log.take());
        Truth.sleep(Truth.seconds(args));
        Truth.healthy("there are more connections than anybody uses at a time")
            .object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }

    private static void use(int millis) throws InterruptedException {
        StringBuilder connection = pool.take();
        try {
            Thread.sleep(millis);
        } finally {
            pool.put(connection);
        }
    }

    private interface Turn {
        void take() throws InterruptedException;
    }

    private static void spawn(String name, Turn turn) {
        new Thread(() -> {
            try {
                while (true) {
                    turn.take();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name).start();
    }
}
