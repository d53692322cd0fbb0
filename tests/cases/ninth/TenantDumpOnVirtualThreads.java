import java.util.concurrent.locks.ReentrantLock;

/**
 * Thirty connections (virtual threads where the JDK has them) read from a store behind a lock, some
 * nanoseconds at a time.
 *
 * Problem: an export, on such a thread too, dumps a tenant within that lock, 110 ms of each 400. Truth: connections
 * wait for a ReentrantLock because of TenantExport.dump. Measured: the part of their waiting during which it dumps.
 */
final class TenantDumpOnVirtualThreads {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Store {
        private final ReentrantLock lock = new ReentrantLock();
        private long reads;

        void read() {
            long from = System.nanoTime();
            lock.lock();
            try {
                long entered = System.nanoTime();
                DIARY.waited(from, entered);
                reads += 1;
                DIARY.held(1, entered, System.nanoTime());
            } finally {
                lock.unlock();
            }
        }

        void exclusively(Runnable work) {
            lock.lock();
            try {
                work.run();
            } finally {
                lock.unlock();
            }
        }
    }

    record TenantExport(Store store) {
        void nightly() {
            while (true) {
                store.exclusively(this::dump);
                Truth.sleep(0.29);
            }
        }

        private void dump() {
            long from = System.nanoTime();
            Truth.sleep(0.11);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    record Connection(Store store) {
        void serve() {
            while (true) {
                store.read();
                Truth.sleep(0.025);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Store store = new Store();
        for (int i = 1; i <= 30; i++) {
            Truth.virtual("conn-" + i, new Connection(store)::serve);
        }
        Truth.virtual("export-1", new TenantExport(store)::nightly);
        DIARY.fill(seconds);
        Truth.of("a tenant is dumped within the lock that all connections need").object("ReentrantLock", "NonfairSync")
            .culprit("TenantExport.dump").thread("export-1").victims("conn-*")
            .share(DIARY.share(0), "the connections' waiting for the store").say();
    }
}
