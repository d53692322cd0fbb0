import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * The healthy twin of the semaphores: eight crawlers go through a throttle of six, each for 4 ms
 * out of 35. Now and then seven want it at once, then one waits for a millisecond or two, as
 * designed.
 *
 * Truth: nothing to be found.
 */
class ThrottleByDesignHealthy {
    private final Semaphore politeness = new Semaphore(6);
    private volatile boolean going = true;

    private void crawl(int seed) {
        Random random = new Random(seed);
        while (going) {
            politeness.acquireUninterruptibly();
            try {
                fetch();
            } finally {
                politeness.release();
            }
            LockSupport.parkNanos((20 + random.nextInt(20)) * 1_000_000L);
        }
    }

    private void fetch() {
        Truth.sleep(0.004);
    }

    public static void main(String[] args) throws InterruptedException {
        ThrottleByDesignHealthy site = new ThrottleByDesignHealthy();
        Thread[] crawlers = new Thread[8];
        for (int i = 0; i < crawlers.length; i++) {
            int seed = i;
            crawlers[i] = new Thread(() -> site.crawl(seed), "crawler-" + i);
            crawlers[i].start();
        }
        Truth.sleep(Truth.seconds(args));
        site.going = false;
        for (Thread crawler : crawlers) {
            crawler.join();
        }
        Truth.healthy("the throttle is wide enough; waits for it are rare and last milliseconds")
            .object().culprit().thread().victims().noShare().say();
    }
}
