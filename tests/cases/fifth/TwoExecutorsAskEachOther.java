import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A catalogue and a price service run on one thread each and ask each other: the catalogue for prices,
 * always; the prices for the catalogue, on the fortieth call.
 *
 * Problem: Prices.of asks the catalogue, which waits for the prices. Truth: stuck; both wait for a future
 * of the other. Measured: no share.
 */
final class TwoExecutorsAskEachOther {
    static final ExecutorService CATALOGUE =
        Executors.newSingleThreadExecutor(work -> new Thread(work, "catalogue"));
    static final ExecutorService PRICES =
        Executors.newSingleThreadExecutor(work -> new Thread(work, "prices"));

    static final class Prices {
        static int of(int item) throws Exception {
            Truth.sleep(0.01);
            return item % 40 == 39 ? CATALOGUE.submit(() -> item).get() : item * 3;
        }
    }

    static final class Catalogue {
        static int entry(int item) throws Exception {
            return 1 + PRICES.submit(() -> Prices.of(item)).get();
        }
    }

    public static void main(String[] arguments) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int first = i;
            Thread thread = new Thread(() -> {
                try {
                    for (int item = first; ; item += 3) {
                        int number = item;
                        CATALOGUE.submit(() -> Catalogue.entry(number)).get();
                        Thread.sleep(5);
                    }
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            }, "page-" + (i + 1));
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        Truth.sayAndHalt(Truth.stuck("two executors of one thread wait for each other's tasks")
            .object("FutureTask").culprit("Prices.of", "Catalogue.entry")
            .thread("catalogue", "prices").victims("page-*", "catalogue", "prices").noShare(),
            Truth.seconds(arguments));
        Truth.hangsOnce(threads);
    }
}
