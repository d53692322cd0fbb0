import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Twelve requests, virtual threads where the JDK has them, look up a customer on a pool of three that is meant for
 * what blocks (CustomerTable.find, 2 ms), by CompletableFuture.supplyAsync, and join.
 *
 * Problem: statements are made on the same pool, StatementPdf.render, 40 ms, three at a time each 90 ms. Truth: requests
 * wait for the CompletableFuture because of StatementPdf.render. Measured: the part of the waiting for customers during
 * which statements are rendered, evenly shared among the busy threads of the pool.
 */
final class StatementsOnTheBlockingPool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class CustomerTable {
        Integer find(int number) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
            return number * 3;
        }
    }

    static final class StatementPdf {
        private int pages;

        void render() {
            long from = System.nanoTime();
            Truth.sleep(0.040);
            pages++;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Requests {
        private final ExecutorService blocking;
        private final CustomerTable table = new CustomerTable();

        Requests(ExecutorService blocking) {
            this.blocking = blocking;
        }

        int serve(int number) {
            return CompletableFuture.supplyAsync(() -> table.find(number), blocking)
                .thenApply(customer -> customer + 1).join();
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger numbers = new AtomicInteger();
        ExecutorService blocking = Executors.newFixedThreadPool(3,
            work -> Truth.daemon("blocking-" + numbers.incrementAndGet(), work));
        Requests requests = new Requests(blocking);
        StatementPdf pdf = new StatementPdf();
        Truth.repeat("statement-run", () -> {
            for (int i = 0; i < 3; i++) {
                blocking.execute(pdf::render);
            }
            Thread.sleep(90);
        });
        for (int i = 1; i <= 12; i++) {
            int own = i;
            Truth.virtual("request-" + i, () -> {
                while (true) {
                    long from = System.nanoTime();
                    requests.serve(own);
                    DIARY.waited(from, System.nanoTime());
                    Truth.sleep(0.012);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("statements are rendered on the pool of the requests").object("CompletableFuture", "Signaller")
            .culprit("StatementPdf.render").thread("blocking-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for customers").say();
    }
}
