import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;

/**
 * Six quoters ask for a discount table, which Guava's Suppliers.memoize loads once, under its monitor; without the
 * table they quote the full price.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: DiscountTable.get fails after 40 ms, and a failure is not memoized: each quoter loads again, one after the
 * other. Truth: quoters wait for the monitor of a MemoizingSupplier because of DiscountTable.get or Archive.read, that
 * is each other. Measured: the part of the quoters' time until their own load starts during which another one loads;
 * what takes less than 1 ms is no waiting.
 */
final class FailureIsNotMemoized {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = new ThreadLocal<>();

    static final class Archive {
        static int[] read(String name) {
            Truth.sleep(0.04);
            throw new IllegalStateException(name + " is gone");
        }
    }

    static final class DiscountTable implements Supplier<int[]> {
        @Override
        public int[] get() {
            long from = System.nanoTime();
            if (from - ASKED.get() > 1_000_000) {
                DIARY.waited(ASKED.get(), from);
            }
            try {
                return Archive.read("discounts");
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    static final class Quoter {
        private final Supplier<int[]> discounts;
        private int fullPrices;

        Quoter(Supplier<int[]> discounts) {
            this.discounts = discounts;
        }

        void quote() throws InterruptedException {
            ASKED.set(System.nanoTime());
            try {
                discounts.get();
            } catch (IllegalStateException gone) {
                fullPrices++;
            }
            Thread.sleep(60);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Supplier<int[]> discounts = Suppliers.memoize(new DiscountTable());
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("quoter-" + i, new Quoter(discounts)::quote);
        }
        DIARY.fill(seconds);
        Truth.of("what fails is loaded again by each caller, under one monitor")
            .object("MemoizingSupplier", "NonSerializableMemoizingSupplier")
            .culprit("DiscountTable.get", "Archive.read").thread("quoter-*").victims("quoter-*")
            .share(DIARY.share(0), "the quoters' waiting for each other").say();
        System.exit(0);
    }
}
