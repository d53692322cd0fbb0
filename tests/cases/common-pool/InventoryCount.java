import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Two clerks count all their shelves with a parallel stream over 24 shelves: 2 ms a shelf, but
 * one of them stands in the old depot, whose count takes 150 to 250 ms. Unless the clerk's own
 * thread has caught that shelf, it waits for the worker of the common pool that has.
 *
 * Problem: OldDepot.askByModem blocks a worker of a parallel stream. Truth: the clerks wait in
 * the stream for it. Measured: a clerk waits when it is in the stream and counts no shelf itself;
 * which shelves the others counted meanwhile.
 */
final class InventoryCount {
    static final int SHELVES = 24, OLD = 0, NEW = 1;
    static volatile boolean stopped;

    public static void main(String[] arguments) {
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "4");
        List<Clerk> clerks = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            clerks.add(new Clerk("stock-" + i, i));
        }
        clerks.forEach(Thread::start);
        Doorman doorman = new Doorman();
        doorman.start();
        Truth.run(arguments, () -> stopped = true, 0.8);
        double waited = 0, owed = 0;
        for (Clerk clerk : clerks) {
            waited += clerk.diary.waitedSeconds();
            owed += clerk.diary.waitedSeconds() * clerk.diary.share(OLD);
        }
        Truth.of("one shelf of a parallel stream blocks its worker for long, and the whole stream "
            + "waits for that worker")
            .object("ReduceTask", "ForkJoinTask", "CountedCompleter", "ReduceOps", "AbstractTask")
            .culprit("OldDepot.askByModem", "OldDepot.count")
            .thread("ForkJoinPool.commonPool-worker-*").victims("stock-*")
            .share(owed / waited, "the stock threads' waiting inside the stream").say();
    }

    /** Counts again and again; notes for how long it was in the stream without counting itself. */
    static final class Clerk extends Thread {
        private static final ThreadLocal<Clerk> SELF = new ThreadLocal<>();
        private final Truth.Diary diary = new Truth.Diary();
        private final Warehouse newHall = new Warehouse(), oldDepot = new OldDepot();
        private final Random random;
        private long free;

        Clerk(String name, int seed) {
            super(name);
            random = new Random(seed);
            setDaemon(true);
        }

        @Override
        public void run() {
            SELF.set(this);
            while (!stopped) {
                Truth.sleep(0.005 + random.nextDouble() * 0.02);
                stockTaking(random.nextInt(SHELVES));
            }
        }

        private int stockTaking(int inDepot) {
            free = System.nanoTime();
            int sum = total(inDepot);
            waitedUntil(System.nanoTime());
            return sum;
        }

        private int total(int inDepot) {
            return IntStream.range(0, SHELVES).parallel()
                .map(shelf -> counted(shelf == inDepot ? oldDepot : newHall, shelf)).sum();
        }

        private int counted(Warehouse warehouse, int shelf) {
            Clerk self = SELF.get();
            long from = System.nanoTime();
            if (self != null) {
                self.waitedUntil(from);
            }
            int count = warehouse.count(shelf);
            long to = System.nanoTime();
            diary.held(warehouse == oldDepot ? OLD : NEW, from, to);
            if (self != null) {
                self.free = to;
            }
            return count;
        }

        private void waitedUntil(long now) {
            if (now - free > 100_000) { // less is the stream's own work
                diary.waited(free, now);
            }
        }
    }

    static class Warehouse {
        int count(int shelf) {
            Truth.sleep(0.002);
            return shelf * 3;
        }
    }

    static final class OldDepot extends Warehouse {
        private final Random line = new Random(77);

        @Override
        int count(int shelf) {
            return askByModem(150 + line.nextInt(100)) * shelf;
        }

        private int askByModem(int millis) {
            try {
                Thread.sleep(millis);
                return 2;
            } catch (InterruptedException exception) {
                return 0;
            }
        }
    }

    /** Has nothing to do with it: a monitor with a time-out, as timers by hand have. */
    static final class Doorman extends Thread {
        Doorman() {
            super("doorman");
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!stopped) {
                nap();
            }
        }

        private synchronized void nap() {
            try {
                wait(450);
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }
}
