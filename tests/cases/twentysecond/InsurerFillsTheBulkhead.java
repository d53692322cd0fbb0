import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Nine trips (virtual threads where the JDK has them) ask a bank for a rate, through a bulkhead that lets four
 * partners' calls run at a time and refuses who waited for a second. The bank answers within 4 ms.
 *
 * Problem: four quoting threads, virtual ones too, ask an insurer through the same bulkhead, who takes 120 ms. Truth:
 * trips wait for the Semaphore of Bulkhead because of Insurer.quote. Measured: quotes and rates within the trips'
 * waiting to be let in, evenly divided.
 */
final class InsurerFillsTheBulkhead {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger REFUSED = new AtomicInteger(), RATED = new AtomicInteger();

    static final class Bulkhead {
        private final Semaphore permits = new Semaphore(4);

        <T> T call(Callable<T> partner) throws Exception {
            if (!permits.tryAcquire(1, TimeUnit.SECONDS)) {
                throw new TimeoutException("bulkhead is full");
            }
            try {
                return partner.call();
            } finally {
                permits.release();
            }
        }
    }

    static final class Insurer {
        int quote(int trip) {
            long from = System.nanoTime();
            Truth.sleep(0.12);
            DIARY.held(0, from, System.nanoTime());
            return trip * 11;
        }
    }

    static final class Bank {
        int rate(long asked) {
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return RATED.incrementAndGet();
        }
    }

    static void endlessly(String name, Truth.Step step) {
        Truth.virtual(name, () -> {
            while (true) {
                try {
                    step.run();
                } catch (TimeoutException exception) {
                    REFUSED.incrementAndGet();
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            }
        });
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Bulkhead bulkhead = new Bulkhead();
        Insurer insurer = new Insurer();
        Bank bank = new Bank();
        for (int i = 1; i <= 9; i++) {
            endlessly("trip-" + i, () -> {
                long asked = System.nanoTime();
                bulkhead.call(() -> bank.rate(asked));
                Thread.sleep(40);
            });
        }
        for (int i = 1; i <= 4; i++) {
            int trip = i;
            endlessly("quoting-" + i, () -> {
                bulkhead.call(() -> insurer.quote(trip));
                Thread.sleep(15);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d rated, %d refused, waited %.2f s%n", RATED.get(), REFUSED.get(), DIARY.waitedSeconds());
        Truth.of("a slow insurer takes the bulkhead that a quick bank needs too").object("Semaphore", "Bulkhead")
            .culprit("Insurer.quote").thread("quoting-*").victims("trip-*")
            .share(DIARY.share(0), "the trips' waiting to be let in").say();
        Runtime.getRuntime().halt(0);
    }
}
