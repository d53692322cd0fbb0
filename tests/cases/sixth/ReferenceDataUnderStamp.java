import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.StampedLock;

/**
 * Thirty requests, virtual threads where there are any, value instruments by a book behind a StampedLock:
 * an optimistic read, else a read lock. Reference data comes as a delta of some twenty rows each 250 ms;
 * corporate actions change a single one.
 *
 * Problem: InstrumentBook.merge takes the write lock and then goes through the rows, which are fetched
 * over the network one by one as they are asked for. Truth: requests wait for that write lock. Measured:
 * who held it while they waited.
 */
final class ReferenceDataUnderStamp {
    static final int MERGE = 0, ACTION = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    record Row(int instrument, double price) {
    }

    /** A cursor over rows elsewhere: 3 to 4 ms each. */
    static final class RefDataCursor implements Iterator<Row> {
        private final Random random;
        private int left;

        RefDataCursor(int seed) {
            random = new Random(seed);
            left = 18 + random.nextInt(6);
        }

        @Override
        public boolean hasNext() {
            return left > 0;
        }

        @Override
        public Row next() {
            left--;
            Truth.sleep(0.003 + random.nextInt(10) * 1e-4);
            return new Row(random.nextInt(500), 100 * random.nextDouble());
        }
    }

    static final class InstrumentBook {
        private final Map<Integer, Double> prices = new HashMap<>();
        private final StampedLock lock = new StampedLock();

        InstrumentBook() {
            for (int instrument = 0; instrument < 500; instrument++) {
                prices.put(instrument, 100.0);
            }
        }

        double price(int instrument) {
            long stamp = lock.tryOptimisticRead();
            if (stamp != 0) {
                double price = prices.get(instrument);
                if (lock.validate(stamp)) {
                    return price;
                }
            }
            return priceLocked(instrument);
        }

        private double priceLocked(int instrument) {
            long from = System.nanoTime();
            long stamp = lock.readLock();
            DIARY.waited(from, System.nanoTime());
            try {
                return prices.get(instrument);
            } finally {
                lock.unlockRead(stamp);
            }
        }

        void merge(Iterator<Row> rows) {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                while (rows.hasNext()) {
                    Row row = rows.next();
                    prices.put(row.instrument(), row.price());
                }
            } finally {
                DIARY.held(MERGE, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }

        void split(int instrument, double ratio) {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try {
                prices.merge(instrument, ratio, (price, by) -> price / by);
                Truth.sleep(0.001);
            } finally {
                DIARY.held(ACTION, from, System.nanoTime());
                lock.unlockWrite(stamp);
            }
        }
    }

    static final class RefDataLoader {
        private final InstrumentBook book;
        private int delta;

        RefDataLoader(InstrumentBook book) {
            this.book = book;
        }

        void loadNext() throws InterruptedException {
            Thread.sleep(170);
            book.merge(new RefDataCursor(delta++));
        }
    }

    record Valuation(InstrumentBook book) {
        double value(int portfolio) {
            double sum = 0;
            for (int i = 0; i < 5; i++) {
                sum += book.price((portfolio * 31 + i * 7) % 500);
            }
            return sum;
        }
    }

    static final class PricingRequest implements Runnable {
        private final Valuation valuation;
        private int portfolio;

        PricingRequest(Valuation valuation, int portfolio) {
            this.valuation = valuation;
            this.portfolio = portfolio;
        }

        @Override
        public void run() {
            while (answer()) {
                Truth.sleep(0.012);
            }
        }

        private boolean answer() {
            return valuation.value(portfolio++) > 0;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        InstrumentBook book = new InstrumentBook();
        Truth.repeat("refdata-loader", new RefDataLoader(book)::loadNext);
        Truth.repeat("corporate-actions", () -> {
            Thread.sleep(50);
            book.split(42, 1.01);
        });
        for (int i = 1; i <= 30; i++) {
            Truth.virtual("pricing-req-" + i, new PricingRequest(new Valuation(book), i));
        }
        Truth.sleep(seconds);
        Truth.of("rows are fetched over the network within the write lock").object("StampedLock")
            .culprit("InstrumentBook.merge", "RefDataLoader.loadNext").thread("refdata-loader")
            .victims("pricing-req-*").share(DIARY.share(MERGE), "waiting for the read lock").say();
    }
}
