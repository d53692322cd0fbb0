import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Eight tellers change money, at rates that Guava's Suppliers.memoizeWithExpiration keeps for 150 ms.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: once they have expired, whoever comes first asks the bureau, RateBureau.ask, for 70 ms, within the
 * supplier's monitor, and all the others wait for it. Truth: tellers wait for an ExpiringMemoizingSupplier because of
 * RateBureau.ask. Measured: when it runs, within the time in which tellers that did not ask themselves wait for more
 * than 1 ms.
 */
final class RatesMemoizedForAMoment {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger CHANGED = new AtomicInteger();
    static final ThreadLocal<Boolean> ASKED = ThreadLocal.withInitial(() -> false);

    static final class RateBureau {
        private int rate = 10_000;

        int ask() {
            long from = System.nanoTime();
            Truth.sleep(0.07);
            ASKED.set(true);
            DIARY.held(0, from, System.nanoTime());
            return rate = rate * 31 % 9973 + 1;
        }
    }

    record Teller(Supplier<Integer> rates) {
        int change(int amount) {
            ASKED.set(false);
            long from = System.nanoTime();
            int rate = rates.get();
            long to = System.nanoTime();
            if (!ASKED.get() && to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            CHANGED.incrementAndGet();
            return amount * rate / 10_000;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        RateBureau bureau = new RateBureau();
        Supplier<Integer> rates = Suppliers.memoizeWithExpiration(bureau::ask, 150, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 8; i++) {
            Teller teller = new Teller(rates);
            int amount = 100 * i;
            Truth.repeat("teller-" + i, () -> {
                teller.change(amount);
                Thread.sleep(12);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("changed %d times, waited %.2f s%n", CHANGED.get(), DIARY.waitedSeconds());
        Truth.of("all tellers wait whenever the memoized rates expire").object("ExpiringMemoizingSupplier")
            .culprit("RateBureau.ask").thread("teller-*").victims("teller-*")
            .share(DIARY.share(0), "the waiting for the rates").say();
        Runtime.getRuntime().halt(0);
    }
}
