import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A ledger and a stock each have a thread of their own that does all that is asked of them; four desks ask both.
 *
 * Problem: after two seconds an auditor has the ledger close its month, which counts the stock by the stock's thread,
 * while somebody else has the stock value itself, which asks the ledger's thread for prices: each thread waits for the
 * other. Truth: stuck; the threads wait for a FutureTask in Ledger.closeMonth and Stock.value, the desks too. Measured:
 * no share; HANG is said when all desks have waited for half a second.
 */
final class LedgerAndStockAskEachOther {
    static class Owner {
        private final ExecutorService thread;

        Owner(String name) {
            thread = Executors.newSingleThreadExecutor(work -> Truth.daemon(name, work));
        }

        <T> T ask(Callable<T> question) {
            try {
                return thread.submit(question).get();
            } catch (InterruptedException | ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static final class Ledger extends Owner {
        Ledger() {
            super("ledger");
        }

        int price(int article) {
            return ask(() -> article * 3);
        }

        int closeMonth(Stock stock) {
            return ask(() -> {
                Truth.sleep(0.05);
                return stock.count(1) + stock.count(2);
            });
        }
    }

    static final class Stock extends Owner {
        Stock() {
            super("stock");
        }

        int count(int article) {
            return ask(() -> article + 7);
        }

        int value(Ledger ledger) {
            return ask(() -> {
                Truth.sleep(0.05);
                return ledger.price(1) + ledger.price(2);
            });
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Ledger ledger = new Ledger();
        Stock stock = new Stock();
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int article = i;
            desks.add(Truth.repeat("desk-" + i, () -> {
                ledger.price(article);
                stock.count(article);
                Thread.sleep(20);
            }));
        }
        for (Runnable work : new Runnable[] {() -> ledger.closeMonth(stock), () -> stock.value(ledger)}) {
            Truth.start("evening", () -> {
                Truth.sleep(2);
                work.run();
            });
        }
        Truth.hangsOnce(desks);
        Truth.sayAndHalt(Truth.stuck("the only threads of ledger and stock wait for each other")
            .object("FutureTask").culprit("Ledger.closeMonth", "Stock.value", "Ledger.price", "Stock.count")
            .thread("ledger", "stock").victims("desk-*", "ledger", "stock", "evening").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}
