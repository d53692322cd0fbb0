import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Four doors at most are open at once, as a fair Semaphore allows; five visitors take one permit each for 3 ms.
 *
 * Problem: from the third second on there is an import, and Import.load takes as many permits as it has files, which
 * are six: more than there will ever be. It waits, and as the semaphore is fair, all visitors behind it, while nobody
 * has a permit. Truth: visitors and the import hang at the Semaphore because of Import.load.
 */
final class ImportAsksForMorePermitsThanThereAre {
    static final Semaphore DOORS = new Semaphore(4, true);

    static final class Import {
        private int loaded;

        void load(int files) {
            DOORS.acquireUninterruptibly(files);
            loaded += files;
            DOORS.release(files);
        }
    }

    static final class Visitor {
        int visits;

        void visit() throws InterruptedException {
            DOORS.acquire();
            try {
                visits++;
                Thread.sleep(3);
            } finally {
                DOORS.release();
            }
            Thread.sleep(2);
        }
    }

    static Thread start(String name, double afterSeconds, Truth.Step step) {
        Thread thread = new Thread(() -> {
            Truth.sleep(afterSeconds);
            try {
                while (true) {
                    step.run();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            threads.add(start("visitor-" + i, 0.1, new Visitor()::visit));
        }
        Import files = new Import();
        threads.add(start("import", 2, () -> files.load(6)));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("somebody wants more permits than there are, before all others")
            .object("Semaphore").culprit("Import.load").thread("import").victims("visitor-*", "import").noShare(),
            seconds);
        Truth.sleep(seconds + 5);
    }
}
