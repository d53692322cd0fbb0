import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six licences of a converter. Single pages take one each; an album takes four, page after page of its
 * preparation.
 *
 * Problem: two albums prepared at the same time take three each and wait for the fourth, which nobody has left
 * to give: AlbumJob.gather holds some while it waits for more. Truth: stuck, albums and pages, because of
 * AlbumJob.gather. Measured: licences that are taken and not in use.
 */
final class ConvertersTakenOneByOne {
    static final Semaphore LICENCES = new Semaphore(6);
    static final AtomicInteger GATHERED = new AtomicInteger();

    static final class AlbumJob {
        void convert() {
            gather();
            Truth.sleep(0.02);
            GATHERED.addAndGet(-4);
            LICENCES.release(4);
        }

        private void gather() {
            for (int i = 0; i < 4; i++) {
                LICENCES.acquireUninterruptibly();
                GATHERED.incrementAndGet();
                Truth.sleep(0.02); // prepares a page
            }
        }
    }

    static final class PageJob {
        void convert() {
            LICENCES.acquireUninterruptibly();
            try {
                Truth.sleep(0.003);
            } finally {
                LICENCES.release();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            PageJob page = new PageJob();
            all.add(Truth.start("page-" + i, () -> {
                while (true) {
                    page.convert();
                    Truth.sleep(0.012);
                }
            }));
        }
        for (int i = 1; i <= 2; i++) {
            AlbumJob album = new AlbumJob();
            all.add(Truth.start("album-" + i, () -> {
                while (true) { // both at each full 300 ms
                    Truth.sleep(0.3 - System.nanoTime() % 300_000_000 / 1e9);
                    album.convert();
                }
            }));
        }
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("two jobs each keep a part of the permits that the other one lacks")
            .object("Semaphore", "NonfairSync").culprit("AlbumJob.gather").thread("album-*")
            .victims("page-*", "album-*").noShare(), seconds);
        Truth.sleep(seconds - 0.2);
        System.out.println(GATHERED.get() + " licences gathered, " + LICENCES.availablePermits() + " free");
        Truth.sleep(seconds); // until the end is said
    }
}
