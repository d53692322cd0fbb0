import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Five desks ask for a quote in a thread of a cached pool, and wait 150 ms for it at most: Future.get with a timeout.
 *
 * Problem: Exchange.quote takes 60 ms for two of three shares, and 260 ms for the third. Truth: desks wait for a
 * FutureTask because of Exchange.quote. Measured: quoting within the desks' waiting.
 */
final class QuotesAreNotThereInTime {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Exchange {
        int quote(int share) {
            long from = System.nanoTime();
            Truth.sleep(share % 3 == 0 ? 0.26 : 0.06);
            DIARY.held(0, from, System.nanoTime());
            return share * 11;
        }
    }

    record Desk(Exchange exchange, ExecutorService pool, int[] share) implements Truth.Step {
        private int ask(int share) throws InterruptedException, ExecutionException {
            Future<Integer> quote = pool.submit(() -> exchange.quote(share));
            try {
                return quote.get(150, TimeUnit.MILLISECONDS);
            } catch (TimeoutException exception) {
                return -1;
            }
        }

        @Override
        public void run() throws Exception {
            long from = System.nanoTime();
            ask(share[0]++);
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(70);
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newCachedThreadPool(work -> Truth.daemon("quotes", work));
        Exchange exchange = new Exchange();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("desk-" + i, new Desk(exchange, pool, new int[] {i}));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an exchange is slow, for some shares slower than anybody waits").object("FutureTask")
            .culprit("Exchange.quote").thread("quotes").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for a quote").say();
    }
}
