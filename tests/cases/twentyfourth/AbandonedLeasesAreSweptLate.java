import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A library's desks and its renewals share five connections in a pool of the library's own. A sweeper takes back,
 * after 450 ms, what was not given back.
 *
 * Problem: a renewal that is refused, as somebody else has asked for the book, returns before it closes its lease. The
 * sweeper hides that: nothing stops, all become slow. Truth: desks wait for a connection (a condition of the pool)
 * because of Renewals.renew. Measured: connections that are forgotten, and those that are in use, while others are
 * waited for.
 */
final class AbandonedLeasesAreSweptLate {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Lease implements AutoCloseable {
        private final LibraryPool pool;
        final long since = System.nanoTime();

        Lease(LibraryPool pool) {
            this.pool = pool;
        }

        int query(double seconds) {
            Truth.sleep(seconds);
            return (int) (since % 7);
        }

        @Override
        public void close() {
            if (pool.giveBack(this)) {
                DIARY.held(1, since, System.nanoTime());
            }
        }
    }

    static final class LibraryPool {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition returned = lock.newCondition();
        private final Deque<Lease> leased = new ArrayDeque<>();
        private int free = 5;

        Lease lease() throws InterruptedException {
            long from = System.nanoTime();
            lock.lock();
            try {
                while (free == 0) {
                    returned.await();
                }
                free--;
                Lease lease = new Lease(this);
                leased.add(lease);
                DIARY.waited(from, lease.since);
                return lease;
            } finally {
                lock.unlock();
            }
        }

        boolean giveBack(Lease lease) {
            lock.lock();
            try {
                if (!leased.remove(lease)) {
                    return false;
                }
                free++;
                returned.signal();
                return true;
            } finally {
                lock.unlock();
            }
        }

        List<Lease> olderThan(long nanos) {
            lock.lock();
            try {
                List<Lease> old = new ArrayList<>(leased);
                old.removeIf(lease -> System.nanoTime() - lease.since < nanos);
                return old;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Takes back what was abandoned. */
    record Sweeper(LibraryPool pool) {
        void sweep() {
            for (Lease lease : pool.olderThan(450_000_000)) {
                if (pool.giveBack(lease)) {
                    DIARY.held(0, lease.since, System.nanoTime());
                }
            }
        }
    }

    record Renewals(LibraryPool pool) {
        boolean renew(int book) throws InterruptedException {
            Lease lease = pool.lease();
            if (isAskedFor(lease, book)) {
                return false;
            }
            lease.query(0.002);
            lease.close();
            return true;
        }

        private boolean isAskedFor(Lease lease, int book) {
            lease.query(0.001);
            return book % 4 == 0;
        }
    }

    public static void main(String[] arguments) {
        LibraryPool pool = new LibraryPool();
        Renewals renewals = new Renewals(pool);
        Sweeper sweeper = new Sweeper(pool);
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("desk-" + i, () -> {
                try (Lease lease = pool.lease()) {
                    lease.query(0.004);
                }
                Thread.sleep(25);
            });
        }
        for (int i = 1; i <= 2; i++) {
            int[] book = {i * 2};
            Truth.repeat("renewal-" + i, () -> {
                renewals.renew(book[0]++);
                Thread.sleep(30);
            });
        }
        Truth.repeat("sweeper", () -> {
            sweeper.sweep();
            Thread.sleep(20);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("refused renewals keep their connection until the sweeper takes it back")
            .object("ConditionObject", "LibraryPool").culprit("Renewals.renew").thread("renewal-*").victims("desk-*")
            .share(DIARY.share(0), "the waiting for a connection").say();
    }
}
