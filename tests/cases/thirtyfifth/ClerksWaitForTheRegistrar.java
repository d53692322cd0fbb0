import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A land registry: two clerks borrow a terminal each of a pool of two (an ArrayBlockingQueue), and
 * write into the folio with its lock. A registrar closes the day with the lock: an archive's executor
 * stores what is new, and he waits for the future.
 *
 * Problem: after two fifths of the time the archive needs a terminal for that. Both are with clerks
 * who wait for the folio's lock. Truth: stuck; clerks wait for the ReentrantLock, the registrar for
 * the future, the archive for a terminal, because of Registrar.close, Clerk.register and
 * Archive.store.
 */
final class ClerksWaitForTheRegistrar {
    static volatile boolean inventory;

    static final class Terminals {
        private final BlockingQueue<Integer> free = new ArrayBlockingQueue<>(2);

        Terminals() {
            free.add(1);
            free.add(2);
        }

        int borrow() throws InterruptedException {
            return free.take();
        }

        void giveBack(int terminal) {
            free.add(terminal);
        }
    }

    static final class Folio {
        private final ReentrantLock lock = new ReentrantLock();
        private final List<String> entries = new ArrayList<>();

        void enter(String entry) {
            lock.lock();
            try {
                entries.add(entry);
                if (entries.size() > 100) {
                    entries.clear();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Clerk {
        private final Terminals terminals;
        private final Folio folio;

        Clerk(Terminals terminals, Folio folio) {
            this.terminals = terminals;
            this.folio = folio;
        }

        void register(int parcel) throws InterruptedException {
            int terminal = terminals.borrow();
            try {
                Truth.sleep(0.004);
                folio.enter(parcel + " at " + terminal);
            } finally {
                terminals.giveBack(terminal);
            }
        }
    }

    static final class Archive {
        private final Terminals terminals;
        private int stored;

        Archive(Terminals terminals) {
            this.terminals = terminals;
        }

        int store(int entries) throws InterruptedException {
            if (inventory) {
                Truth.sleep(0.05);
                int terminal = terminals.borrow();
                stored += terminal;
                terminals.giveBack(terminal);
            }
            stored += entries;
            return stored;
        }
    }

    static final class Registrar {
        private final Folio folio;
        private final Archive archive;
        private final ExecutorService storing =
            Executors.newSingleThreadExecutor(work -> Truth.daemon("archive", work));

        Registrar(Folio folio, Archive archive) {
            this.folio = folio;
            this.archive = archive;
        }

        void close() throws InterruptedException, ExecutionException {
            folio.lock.lock();
            try {
                int entries = folio.entries.size();
                storing.submit(() -> archive.store(entries)).get();
            } finally {
                folio.lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Terminals terminals = new Terminals();
        Folio folio = new Folio();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            Clerk clerk = new Clerk(terminals, folio);
            int parcel = i;
            all.add(Truth.repeat("clerk-" + i, () -> {
                clerk.register(parcel);
                Thread.sleep(9);
            }));
        }
        Registrar registrar = new Registrar(folio, new Archive(terminals));
        all.add(Truth.repeat("registrar", () -> {
            registrar.close();
            Thread.sleep(60);
        }));
        Executors.newScheduledThreadPool(1, work -> Truth.daemon("clock", work))
            .scheduleAtFixedRate(() -> folio.entries.size(), 100, 100, TimeUnit.MILLISECONDS);
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("the archive needs a terminal of clerks who wait for the registrar's lock")
            .object("ReentrantLock", "NonfairSync", "FutureTask", "ConditionObject", "ArrayBlockingQueue")
            .culprit("Registrar.close", "Clerk.register", "Archive.store")
            .thread("registrar", "clerk-*", "archive").victims("clerk-*", "registrar", "archive").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        inventory = true;
        Truth.sleep(seconds + 2);
    }
}
