import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.lang3.concurrent.BackgroundInitializer;
import org.apache.commons.lang3.concurrent.MultiBackgroundInitializer;

/**
 * Four desks open shops. The stock and the prices of a shop are read by two BackgroundInitializers of Commons Lang,
 * which a MultiBackgroundInitializer starts and waits for. All run in one pool of three threads.
 *
 * NEEDS: libcommons-lang3-java (commons-lang3.jar)
 *
 * Problem: the one that waits for its parts has a thread of the same pool as the parts; once three shops are opened at
 * the same time, no thread is left for a part. Until the third second there is only one desk. Truth: the pool's threads
 * and the desks hang at FutureTasks because of Desk.open, which gives all of them the same pool.
 */
final class ShopsOpenTheirPartsInOnePool {
    static final class Part extends BackgroundInitializer<String> {
        @Override
        protected String initialize() throws InterruptedException {
            Thread.sleep(2);
            return "read";
        }
    }

    static final class Desk {
        private final ExecutorService pool;
        int opened;

        Desk(ExecutorService pool) {
            this.pool = pool;
        }

        void open() throws Exception {
            MultiBackgroundInitializer shop = new MultiBackgroundInitializer(pool);
            shop.addInitializer("stock", new Part());
            shop.addInitializer("prices", new Part());
            shop.start();
            shop.get();
            opened++;
            Thread.sleep(1);
        }
    }

    static Thread desk(int number, double afterSeconds, ExecutorService pool) {
        Desk desk = new Desk(pool);
        Thread thread = new Thread(() -> {
            Truth.sleep(afterSeconds);
            try {
                while (true) {
                    desk.open();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }, "desk-" + number);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger count = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(3,
            work -> new Thread(work, "opener-" + count.incrementAndGet()));
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            threads.add(desk(i, i == 1 ? 0.1 : 2, pool));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("shops wait in a pool for parts that only the same pool could read")
            .object("FutureTask").culprit("Desk.open").thread("opener-*").victims("opener-*", "desk-*").noShare(),
            seconds);
        Truth.sleep(seconds + 5);
    }
}
