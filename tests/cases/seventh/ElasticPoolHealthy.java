import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Thumbnails: every 900 ms a folder of twelve pictures comes in, for which a pool grows; after 400 ms of
 * rest its threads end.
 *
 * Problem: none. The threads wait for work until their time is up, which is what keep-alive means. Truth:
 * healthy. Measured: pictures.
 */
final class ElasticPoolHealthy {
    static final class Thumbnails {
        static final AtomicInteger DRAWN = new AtomicInteger();

        void draw(int picture) {
            int sum = picture;
            for (int i = 0; i < 100_000; i++) {
                sum = sum * 31 + i;
            }
            Truth.sleep(sum == 0 ? 0 : 0.02);
            DRAWN.incrementAndGet();
        }
    }

    static final class Folders {
        private final AtomicInteger threads = new AtomicInteger();
        private final Thumbnails thumbnails = new Thumbnails();
        private final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, 30, 400, TimeUnit.MILLISECONDS,
            new SynchronousQueue<>(), work -> {
                Thread thread = new Thread(work, "thumbnails-" + threads.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });

        void comeIn() throws InterruptedException {
            Thread.sleep(900);
            for (int picture = 0; picture < 12; picture++) {
                int number = picture;
                pool.execute(() -> thumbnails.draw(number));
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Truth.repeat("folder-watch", new Folders()::comeIn);
        Truth.sleep(seconds);
        System.out.println(Thumbnails.DRAWN.get() + " pictures");
        Truth.healthy("threads of an elastic pool rest until they end").object().culprit().thread().victims()
            .noShare().say();
    }
}
