import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A price book that a thread calculates anew each 50 ms, and four threads that print shelf labels from it.
 * Small books are calculated in sequence, large ones in parallel; articles come in, and after a second and
 * a half the book is large.
 *
 * FLAGS: -Djava.util.concurrent.ForkJoinPool.common.parallelism=3
 *
 * Problem: PriceBook.reprice is synchronized, and so is PriceBook.rate, which its parallel stream calls:
 * the common pool's threads wait for the monitor of the one that waits for them. Truth: stuck; object
 * PriceBook. Measured: nothing else.
 */
final class ParallelRepriceUnderItsMonitor {
    static final class PriceBook {
        private static final int LARGE = 2000;
        private final double[] prices = new double[50_000];
        private int articles = 100;
        private double dollar = 1.1;

        synchronized void arrive(int more) {
            articles = Math.min(prices.length, articles + more);
        }

        synchronized void reprice() {
            IntStream all = IntStream.range(0, articles);
            (articles < LARGE ? all : all.parallel()).forEach(i -> prices[i] = calculate(i));
        }

        synchronized double price(int article) {
            return prices[article];
        }

        private double calculate(int article) {
            double price = article + 1;
            for (int i = 0; i < 200; i++) {
                price = Math.sqrt(price * (i + 2));
            }
            return price * rate(article);
        }

        synchronized double rate(int article) {
            return article % 3 == 0 ? 1 : dollar;
        }
    }

    record Repricer(PriceBook book) implements Runnable {
        @Override
        public void run() {
            for (int round = 0;; round++) {
                Truth.sleep(0.05);
                book.arrive(round < 30 ? 10 : 5000);
                book.reprice();
            }
        }
    }

    record LabelPrinter(PriceBook book) implements Runnable {
        @Override
        public void run() {
            for (int article = 0;; article++) {
                Truth.sleep(0.01);
                book.price(article % 100);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        PriceBook book = new PriceBook();
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(new Repricer(book), "repricer"));
        for (int i = 1; i <= 4; i++) {
            threads.add(new Thread(new LabelPrinter(book), "label-printer-" + i));
        }
        threads.forEach(thread -> thread.setDaemon(true));
        threads.forEach(Thread::start);
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a parallel stream needs the monitor that its caller keeps")
            .object("PriceBook").culprit("PriceBook.reprice").thread("repricer")
            .victims("repricer", "label-printer-*", "ForkJoinPool.commonPool-worker-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}
