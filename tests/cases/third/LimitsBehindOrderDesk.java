import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Eight traders place orders at a desk whose methods are synchronized. Placing checks the limits,
 * which are behind a ReentrantLock of their own. Twice a second the limits are calculated anew.
 *
 * Problem: LimitBook.recalculate keeps that lock while another thread fits a curve (CurveFit.fit,
 * 120 to 200 ms) for it. One trader waits for the lock with the desk's monitor, the others for the
 * monitor: a chain of three. Truth: desk (or lock), the recalculation or the fit. Measured: when the
 * lock was held for a recalculation and when for a check, within the time from place until the
 * check has the lock.
 */
final class LimitsBehindOrderDesk {
    private static final int RECALCULATE = 0, CHECK = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class CurveFit {
        private final Random random = new Random(8);

        double fit() {
            double sum = 0;
            long end = System.nanoTime() + 120_000_000L + random.nextInt(80_000_000);
            while (System.nanoTime() < end) {
                sum += Math.sqrt(random.nextDouble());
                if (sum % 64 < 1) {
                    Truth.sleep(0.002); // Reads the next quotes.
                }
            }
            return sum;
        }
    }

    static final class LimitBook {
        private final ReentrantLock lock = new ReentrantLock();
        private final CurveFit curve = new CurveFit();
        private final ExecutorService fits = Executors.newSingleThreadExecutor(
            work -> Truth.daemon("curve-1", work));
        private double limit = 1e9;

        boolean check(double amount, long asked) {
            lock.lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                return amount < limit;
            } finally {
                DIARY.held(CHECK, from, System.nanoTime());
                lock.unlock();
            }
        }

        void recalculate() throws InterruptedException, ExecutionException {
            lock.lock();
            long from = System.nanoTime();
            try {
                Future<Double> fitted = fits.submit(curve::fit);
                limit = 1e9 + fitted.get();
            } finally {
                DIARY.held(RECALCULATE, from, System.nanoTime());
                lock.unlock();
            }
        }
    }

    static final class OrderDesk {
        private final LimitBook limits;
        private long placed;

        OrderDesk(LimitBook limits) {
            this.limits = limits;
        }

        synchronized void place(double amount, long asked) {
            placed += limits.check(amount, asked) ? 1 : 0;
        }
    }

    public static void main(String[] arguments) {
        LimitBook limits = new LimitBook();
        OrderDesk desk = new OrderDesk(limits);
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.daemon("trader-" + i, () -> trade(desk, random)).start();
        }
        Truth.daemon("risk-1", () -> watch(limits)).start();
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the limits' lock is kept while a curve is fitted on another thread, and the desk's "
            + "monitor by whoever waits for that lock")
            .object("OrderDesk", "ReentrantLock")
            .culprit("LimitBook.recalculate", "CurveFit.fit")
            .thread("risk-*", "curve-*").victims("trader-*")
            .share(DIARY.share(RECALCULATE), "the traders' waiting to place an order").say();
    }

    private static void trade(OrderDesk desk, Random random) {
        while (true) {
            Truth.sleep(0.01 + random.nextDouble() * 0.02);
            desk.place(random.nextInt(1000), System.nanoTime());
        }
    }

    private static void watch(LimitBook limits) {
        try {
            while (true) {
                limits.recalculate();
                Truth.sleep(0.3);
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
