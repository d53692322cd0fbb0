import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * A Semaphore of five limits the requests to a shop. Six price checks each take a permit for 6 ms.
 *
 * Problem: four crawls took a permit each when the program started, and give it back every third second only, for a
 * moment: Crawl.walk. Truth: checks wait for the Semaphore because of Crawl.walk. Measured: walking and checking with
 * a permit, within the checks' waiting, evenly divided.
 */
final class CrawlsSitOnTheirPermits {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Crawl(Semaphore permits, CountDownLatch ready) implements Truth.Step {
        private void walk() {
            long end = System.nanoTime() + 3_000_000_000L;
            while (System.nanoTime() < end) {
                long from = System.nanoTime();
                Truth.sleep(0.03);
                DIARY.held(0, from, System.nanoTime());
            }
        }

        @Override
        public void run() throws InterruptedException {
            permits.acquire();
            try {
                ready.countDown();
                walk();
            } finally {
                permits.release();
            }
        }
    }

    record Check(Semaphore permits) implements Truth.Step {
        private void ask() throws InterruptedException {
            long from = System.nanoTime();
            permits.acquire();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                Truth.sleep(0.006);
            } finally {
                DIARY.held(1, got, System.nanoTime());
                permits.release();
            }
        }

        @Override
        public void run() throws InterruptedException {
            ask();
            Thread.sleep(7);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Semaphore permits = new Semaphore(5);
        CountDownLatch ready = new CountDownLatch(4);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("crawl-" + i, new Crawl(permits, ready));
        }
        ready.await();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("check-" + i, new Check(permits));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("checks %.3f%n", DIARY.share(1));
        Truth.of("four of five permits are kept for seconds").object("Semaphore", "NonfairSync")
            .culprit("Crawl.walk").thread("crawl-*").victims("check-*")
            .share(DIARY.share(0), "the checks' waiting for a permit").say();
    }
}
