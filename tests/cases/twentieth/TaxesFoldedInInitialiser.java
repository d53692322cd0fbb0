import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Four tills sell; from the third second on some goods are taxed, by a table of rates.
 *
 * FLAGS: -Djava.util.concurrent.ForkJoinPool.common.parallelism=3
 *
 * Problem: the table is made by the initialiser of TaxTable, with a parallel stream whose step is a method of TaxTable:
 * the common pool's threads must not run it before the initialiser has ended, and that waits for them. Truth: stuck;
 * one till waits in TaxTable.<clinit> for the stream's task, the others for the class. Measured: no share; HANG is said
 * when nothing has been sold for half a second.
 */
final class TaxesFoldedInInitialiser {
    static final AtomicInteger SOLD = new AtomicInteger();

    static final class TaxTable {
        private static final int[] RATES = IntStream.range(0, 4096).parallel().map(TaxTable::rateOf).toArray();

        private static int rateOf(int code) {
            int rate = code;
            for (int i = 0; i < 2000; i++) {
                rate = rate * 31 + i;
            }
            return Math.floorMod(rate, 25);
        }

        static int rate(int code) {
            return RATES[code];
        }
    }

    static final class Till {
        private long cents;

        void sell(int article, boolean taxed) throws InterruptedException {
            cents += 100 + (taxed ? TaxTable.rate(article % 4096) : 0);
            Thread.sleep(5);
            SOLD.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        long begin = System.nanoTime();
        for (int i = 1; i <= 4; i++) {
            Till till = new Till();
            Truth.repeat("till-" + i, () -> till.sell(SOLD.get(), System.nanoTime() - begin > 3_000_000_000L));
        }
        Truth.start("observer", () -> {
            int sold = -1;
            while (sold != SOLD.get()) {
                sold = SOLD.get();
                Truth.sleep(0.5);
            }
            Truth.hangs();
        });
        Truth.sayAndHalt(Truth.stuck("an initialiser waits for a parallel stream that needs its class")
            .object("TaxTable", "Class", "OfInt", "SizedCollectorTask", "ForkJoinTask").culprit("TaxTable.<clinit>")
            .thread("till-*").victims("till-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}
