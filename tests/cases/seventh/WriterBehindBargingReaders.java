import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Somebody's own lock for readers and a writer: a reader takes one of ten permits, the writer all ten.
 * Four quote threads read, one thread writes new prices.
 *
 * Problem: the semaphore is not fair, so readers pass by the waiting writer as long as one permit is left,
 * and it gets its ten only when by chance no reader is there. Truth: the writer waits for the semaphore
 * nearly all the time, because of QuoteDesk.quote. Measured: the part of its waiting with a reader inside.
 */
final class WriterBehindBargingReaders {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PriceGate {
        private static final int ALL = 10;
        private final Semaphore permits = new Semaphore(ALL);

        void enterToRead() throws InterruptedException {
            permits.acquire();
        }

        void leaveAfterReading() {
            permits.release();
        }

        void enterToWrite() throws InterruptedException {
            permits.acquire(ALL);
        }

        void leaveAfterWriting() {
            permits.release(ALL);
        }
    }

    static final class QuoteDesk {
        private final PriceGate gate;
        private final double[] prices;
        private final Random random;

        QuoteDesk(PriceGate gate, double[] prices, int seed) {
            this.gate = gate;
            this.prices = prices;
            random = new Random(seed);
        }

        void serve() throws InterruptedException {
            Thread.sleep(2 + random.nextInt(3));
            quote(random.nextInt(prices.length));
        }

        private double quote(int article) throws InterruptedException {
            gate.enterToRead();
            long from = System.nanoTime();
            try {
                Thread.sleep(4 + random.nextInt(4));
                return prices[article];
            } finally {
                DIARY.held(0, from, System.nanoTime());
                gate.leaveAfterReading();
            }
        }
    }

    record PriceWriter(PriceGate gate, double[] prices) {
        void update() throws InterruptedException {
            Thread.sleep(20);
            long from = System.nanoTime();
            gate.enterToWrite();
            DIARY.waited(from, System.nanoTime());
            try {
                for (int i = 0; i < prices.length; i++) {
                    prices[i] += 0.01;
                }
            } finally {
                gate.leaveAfterWriting();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PriceGate gate = new PriceGate();
        double[] prices = new double[2000];
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("quotes-" + i, new QuoteDesk(gate, prices, i)::serve);
        }
        Truth.repeat("price-writer", new PriceWriter(gate, prices)::update);
        Truth.sleep(seconds);
        System.out.println("the writer waited " + DIARY.waitedSeconds() + " s");
        Truth.of("readers pass by a writer that needs all permits").object("Semaphore")
            .culprit("QuoteDesk.quote").thread("quotes-*").victims("price-writer")
            .share(DIARY.share(0), "the writer's waiting").say();
    }
}
