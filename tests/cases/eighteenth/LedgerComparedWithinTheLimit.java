import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * A service allows four calls at a time, which a limiter that everybody calls it through heeds. Three threads make
 * offers, two plan tours with parallel streams, and three compare ledgers.
 *
 * Problem: Ledger.compare keeps one of the four for 120 ms, as all of a ledger is compared within one call, where the
 * others need 3 ms. Truth: offers and tours wait for the Semaphore because of Ledger.compare. Measured: the permits
 * that are held by who compares, of all that are held, within the waiting for one.
 */
final class LedgerComparedWithinTheLimit {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger CALLS = new AtomicInteger();

    static final class Limiter {
        private final Semaphore permits = new Semaphore(4);

        /** Waits as a ForkJoinPool wants it, which has another thread go on meanwhile. */
        private final class Entry implements ForkJoinPool.ManagedBlocker {
            private boolean entered;

            @Override
            public boolean block() throws InterruptedException {
                permits.acquire();
                return entered = true;
            }

            @Override
            public boolean isReleasable() {
                return entered || (entered = permits.tryAcquire());
            }
        }

        int within(int who, IntSupplier call) {
            long asked = System.nanoTime();
            try {
                ForkJoinPool.managedBlock(new Entry());
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
            long entered = System.nanoTime();
            try {
                return call.getAsInt();
            } finally {
                permits.release();
                DIARY.waited(asked, entered);
                DIARY.held(who, entered, System.nanoTime());
                CALLS.incrementAndGet();
            }
        }
    }

    static final class Ledger {
        private int lines;

        int compare() {
            Truth.sleep(0.12);
            return ++lines;
        }
    }

    static final class Service {
        int distance(int place) {
            Truth.sleep(0.003);
            return place * 3;
        }

        int offer(int article) {
            Truth.sleep(0.003);
            return article * 2;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Limiter limiter = new Limiter();
        Service service = new Service();
        for (int i = 1; i <= 3; i++) {
            int number = i;
            Ledger ledger = new Ledger();
            Truth.repeat("offers-" + i, () -> {
                limiter.within(1, () -> service.offer(number));
                Thread.sleep(8);
            });
            Truth.repeat("ledger-" + i, () -> {
                limiter.within(0, ledger::compare);
                Thread.sleep(10);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("tours-" + i, () -> {
                IntStream.range(0, 12).parallel().map(place -> limiter.within(1, () -> service.distance(place))).sum();
                Thread.sleep(20);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d calls, waited %.2f s%n", CALLS.get(), DIARY.waitedSeconds());
        Truth.of("a permit is kept for a whole ledger").object("Semaphore").culprit("Ledger.compare")
            .thread("ledger-*")
            .victims("offers-*", "tours-*", "ledger-*", "ForkJoinPool.commonPool-worker-*")
            .share(DIARY.share(0), "the waiting for a permit").say();
        Runtime.getRuntime().halt(0);
    }
}
