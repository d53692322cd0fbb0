import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Eight desks have quotes made in a pool of two threads, one after another. After two seconds an operator gives the
 * pool a third thread, by a new pool.
 *
 * Problem: Quotes.resize ends the old pool with shutdownNow and lets go of what that returns, the quotes that were in
 * its queue. Nobody will make or cancel them, and the desks that wait for them wait for ever; the others go on with the
 * new pool. Truth: desks hang at FutureTasks because of Quotes.resize, or Desk.ask, which waits without a limit.
 */
final class QueuedQuotesAreDroppedWithTheirPool {
    static final AtomicInteger THREADS = new AtomicInteger();

    static final class Quotes {
        private volatile ExecutorService pool = pool(2);

        private static ExecutorService pool(int threads) {
            return Executors.newFixedThreadPool(threads, work -> {
                Thread thread = new Thread(work, "quote-" + THREADS.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        }

        Future<Integer> ask(int article) {
            return pool.submit(() -> {
                Truth.sleep(0.005);
                return article * 3;
            });
        }

        void resize(int threads) {
            ExecutorService old = pool;
            pool = pool(threads);
            old.shutdownNow();
        }
    }

    static final class Desk {
        private final Quotes quotes;
        volatile long answered;

        Desk(Quotes quotes) {
            this.quotes = quotes;
        }

        void ask() throws Exception {
            try {
                quotes.ask(17).get();
            } catch (RejectedExecutionException exception) {
                return; // asked just as the pool was ended: once more
            }
            answered++;
            Thread.sleep(1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Quotes quotes = new Quotes();
        List<Desk> desks = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            Desk desk = new Desk(quotes);
            desks.add(desk);
            Truth.repeat("desk-" + i, desk::ask);
        }
        Thread operator = new Thread(() -> {
            Truth.sleep(2);
            quotes.resize(3);
            Truth.sleep(0.2);
            long[] before = desks.stream().mapToLong(desk -> desk.answered).toArray();
            Truth.sleep(1);
            for (int i = 0; i < before.length; i++) {
                if (desks.get(i).answered == before[i]) {
                    Truth.hangs();
                    return;
                }
            }
        }, "operator");
        operator.setDaemon(true);
        operator.start();
        Truth.sayAndHalt(Truth.stuck("quotes that were queued are dropped with their pool").object("FutureTask")
            .culprit("Quotes.resize", "Desk.ask").thread("operator").victims("desk-*").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}
