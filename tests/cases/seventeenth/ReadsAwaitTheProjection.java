import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Orders are events; a projection makes a list of them. Five sellers enter an order and, to read what they wrote,
 * wait until the projection has come to their event: it notifies all after each event.
 *
 * Problem: the projection also indexes each order for the search before it goes on; SearchIndex.put takes 8 ms. Truth:
 * sellers wait for the Projection because of SearchIndex.put. Measured: when an order is being indexed, within the
 * sellers' waiting.
 */
final class ReadsAwaitTheProjection {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class SearchIndex {
        private int words;

        void put(int order) {
            long from = System.nanoTime();
            Truth.sleep(0.008);
            words += order % 5;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Projection {
        private final SearchIndex index = new SearchIndex();
        private int version;

        void apply(int event) {
            index.put(event);
            synchronized (this) {
                version = event;
                notifyAll();
            }
        }

        synchronized void await(int event) throws InterruptedException {
            while (version < event) {
                wait();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        LinkedBlockingQueue<Integer> events = new LinkedBlockingQueue<>();
        AtomicInteger last = new AtomicInteger();
        Projection projection = new Projection();
        Truth.repeat("projection", () -> projection.apply(events.take()));
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("seller-" + i, () -> {
                int event;
                synchronized (events) {
                    event = last.incrementAndGet();
                    events.put(event);
                }
                long from = System.nanoTime();
                projection.await(event);
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(5);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d events, waited %.2f s in all%n", last.get(), DIARY.waitedSeconds());
        Truth.of("what readers wait for is also indexed first").object("Projection").culprit("SearchIndex.put")
            .thread("projection").victims("seller-*").share(DIARY.share(0), "the sellers' waiting").say();
        System.exit(0);
    }
}
