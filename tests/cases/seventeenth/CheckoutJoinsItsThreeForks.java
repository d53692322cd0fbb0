import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four checkouts, each for one order after another, start three threads, for the price, the stock and the risk, and
 * join them; all are virtual where the JDK has them.
 *
 * Problem: Risk.score takes 45 ms, the two others some milliseconds. Truth: checkouts wait for the end of a thread
 * because of Risk.score. Measured: when a checkout's risk is scored, within its joins.
 */
final class CheckoutJoinsItsThreeForks {
    static final AtomicInteger ORDERS = new AtomicInteger();

    static final class Risk {
        private int score;

        void score(int order) {
            Truth.sleep(0.045);
            score = order % 10;
        }
    }

    static final class Checkout implements Runnable {
        final Truth.Diary diary = new Truth.Diary();
        private final Risk risk = new Risk();

        @Override
        public void run() {
            try {
                while (true) {
                    serve(ORDERS.incrementAndGet());
                    Thread.sleep(10);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void serve(int order) throws InterruptedException {
            Thread[] forks = {Truth.virtual("price-" + order, () -> Truth.sleep(0.004)),
                Truth.virtual("stock-" + order, () -> Truth.sleep(0.003)),
                Truth.virtual("risk-" + order, () -> {
                    long from = System.nanoTime();
                    risk.score(order);
                    diary.held(0, from, System.nanoTime());
                })};
            long from = System.nanoTime();
            for (Thread fork : forks) {
                fork.join();
            }
            diary.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Checkout[] checkouts = new Checkout[4];
        for (int i = 0; i < checkouts.length; i++) {
            checkouts[i] = new Checkout();
            Truth.virtual("checkout-" + (i + 1), checkouts[i]);
        }
        Truth.sleep(seconds);
        double waited = 0, scored = 0;
        for (Checkout checkout : checkouts) {
            double its = checkout.diary.waitedSeconds();
            waited += its;
            scored += checkout.diary.share(0) * its;
        }
        System.out.printf("%d orders, waited %.2f s in all%n", ORDERS.get(), waited);
        Truth.of("one of three forks takes ten times as long").object("Thread", "VirtualThread", "CountDownLatch")
            .culprit("Risk.score").thread("risk-*").victims("checkout-*")
            .share(scored / waited, "the checkouts' joins").say();
        System.exit(0);
    }
}
