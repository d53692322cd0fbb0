import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A day's close calculates settlements and fees on a pool of six, each day anew. Settlements need fees;
 * fees need settlements as well where a discount depends on the turnover, which is so on the twentieth.
 *
 * Problem: Fees.calculate joins the future of Settlement.calculate, which joins that of the fees. Truth:
 * stuck; both wait for futures, and the close for both. Measured: no share; HANG is said when all wait.
 */
final class FeesAwaitSettlement {
    static final class Day {
        final CompletableFuture<Integer> fees = new CompletableFuture<>();
        final CompletableFuture<Integer> settlement = new CompletableFuture<>();
        final boolean discount;

        Day(boolean discount) {
            this.discount = discount;
        }
    }

    static final class Fees {
        static void calculate(Day day) {
            Truth.sleep(0.02);
            day.fees.complete(day.discount ? day.settlement.join() / 100 : 5);
        }
    }

    static final class Settlement {
        static void calculate(Day day) {
            Truth.sleep(0.01);
            day.settlement.complete(1000 - day.fees.join());
        }
    }

    public static void main(String[] arguments) {
        List<Thread> threads = new ArrayList<>();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(6,
            work -> new Thread(work, "close-worker-" + number.incrementAndGet()));
        Thread close = new Thread(() -> {
            for (int i = 1; ; i++) {
                Day day = new Day(i == 20);
                pool.execute(() -> Fees.calculate(day));
                pool.execute(() -> Settlement.calculate(day));
                CompletableFuture.allOf(day.fees, day.settlement).join();
                Truth.sleep(0.03);
            }
        }, "day-close");
        close.start();
        threads.add(close);
        Truth.sayAndHalt(Truth.stuck("fees wait for the settlement, and the settlement for the fees")
            .object("CompletableFuture", "Signaller")
            .culprit("Fees.calculate", "Settlement.calculate")
            .thread("close-worker-*").victims("day-close", "close-worker-*").noShare(),
            Truth.seconds(arguments));
        Truth.sleep(1);
        Truth.hangsOnce(threads);
    }
}
