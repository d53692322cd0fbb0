import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five handlers have a quote computed by a ForkJoinPool of three, in four parts (QuoteTask), each of which reads a rate
 * under a lock, by a ManagedBlocker, so that the pool may add threads, and computes for 1 ms.
 *
 * Problem: rates are loaded with that lock each 70 ms, RateFeed.load, 35 ms. Truth: handlers wait for the QuoteTask, or
 * parts for the ReentrantLock, because of RateFeed.load. Measured: the part of the handlers' waiting for quotes during
 * which rates are loaded.
 */
final class QuotesForkedWhileRatesLoad {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Rates {
        final ReentrantLock lock = new ReentrantLock();
        private double rate = 1.1;

        double rate() {
            try {
                ForkJoinPool.managedBlock(new LockBlocker(lock));
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
            try {
                return rate;
            } finally {
                lock.unlock();
            }
        }
    }

    /** As the documentation of ManagedBlocker has it. */
    static final class LockBlocker implements ForkJoinPool.ManagedBlocker {
        private final ReentrantLock lock;
        private boolean locked;

        LockBlocker(ReentrantLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean block() {
            if (!locked) {
                lock.lock();
                locked = true;
            }
            return true;
        }

        @Override
        public boolean isReleasable() {
            if (!locked) {
                locked = lock.tryLock();
            }
            return locked;
        }
    }

    static final class RateFeed {
        void load(Rates rates) {
            rates.lock.lock();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.035);
                rates.rate += 0.001;
            } finally {
                DIARY.held(0, from, System.nanoTime());
                rates.lock.unlock();
            }
        }
    }

    static final class QuoteTask extends RecursiveTask<Double> {
        private static final long serialVersionUID = 1;
        private final transient Rates rates;
        private final int parts;

        QuoteTask(Rates rates, int parts) {
            this.rates = rates;
            this.parts = parts;
        }

        @Override
        protected Double compute() {
            if (parts == 1) {
                double rate = rates.rate();
                long from = System.nanoTime();
                Truth.sleep(0.001);
                DIARY.held(1, from, System.nanoTime());
                return rate;
            }
            List<QuoteTask> halves = new ArrayList<>();
            halves.add(new QuoteTask(rates, parts / 2));
            halves.add(new QuoteTask(rates, parts - parts / 2));
            invokeAll(halves);
            return halves.get(0).join() + halves.get(1).join();
        }
    }

    public static void main(String[] arguments) {
        ForkJoinPool pool = new ForkJoinPool(3);
        Rates rates = new Rates();
        RateFeed feed = new RateFeed();
        Truth.repeat("rate-feed", () -> {
            feed.load(rates);
            Thread.sleep(35);
        });
        DIARY.clients("handler", 5, 15, () -> pool.submit(new QuoteTask(rates, 4)).get());
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("rates are loaded with the lock that every part of a quote needs")
            .object("QuoteTask", "ForkJoinTask", "ReentrantLock", "NonfairSync").culprit("RateFeed.load")
            .thread("rate-feed").victims("handler-*", "ForkJoinPool-*-worker-*").share(DIARY.share(0), "the handlers' waiting for quotes").say();
    }
}
