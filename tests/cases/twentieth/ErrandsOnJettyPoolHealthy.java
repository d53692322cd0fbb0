import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * A pool of threads of Jetty's, of six to sixteen, runs the errands of five desks, and a scheduler of Jetty's brings it
 * the post ten times a second.
 *
 * NEEDS: libjetty9-java (jetty9-util.jar)
 *
 * Problem: none; an errand takes 2 to 5 ms, and each desk has one each 90 ms. Truth: healthy. Measured: how long
 * errands took, in the mean.
 */
final class ErrandsOnJettyPoolHealthy {
    static final AtomicInteger RUN = new AtomicInteger(), LETTERS = new AtomicInteger();
    static final AtomicLong TOOK = new AtomicLong();

    static final class Office {
        private final QueuedThreadPool pool = new QueuedThreadPool(16, 6, 400);
        private final ScheduledExecutorScheduler scheduler = new ScheduledExecutorScheduler("post-clock", true);

        void open() throws Exception {
            pool.setName("office");
            pool.setDaemon(true);
            pool.start();
            scheduler.start();
            bringPost();
        }

        void runErrand() {
            CompletableFuture<Void> done = new CompletableFuture<>();
            pool.execute(() -> {
                Truth.sleep(ThreadLocalRandom.current().nextDouble(0.002, 0.005));
                done.complete(null);
            });
            done.join();
        }

        private void bringPost() {
            scheduler.schedule(() -> pool.execute(this::sort), 100, TimeUnit.MILLISECONDS);
        }

        private void sort() {
            LETTERS.incrementAndGet();
            Truth.sleep(0.003);
            bringPost();
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Office office = new Office();
        office.open();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("desk-" + i, () -> {
                long from = System.nanoTime();
                office.runErrand();
                TOOK.addAndGet(System.nanoTime() - from);
                RUN.incrementAndGet();
                Thread.sleep(ThreadLocalRandom.current().nextInt(70, 110));
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d errands, %.2f ms each, %d letters%n", RUN.get(), TOOK.get() / 1e6 / RUN.get(),
                          LETTERS.get());
        Truth.healthy("errands take some milliseconds, and there are threads enough").object().culprit().thread()
            .victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
