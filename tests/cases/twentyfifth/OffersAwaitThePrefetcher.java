import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * A page is made of four parts, each fetched by a thread of its own, virtual where there are any, and awaited by the
 * scope that forked them. Three parts are there at once; offers come from a partner, behind a bulkhead of two.
 *
 * Problem: the partner's catalogue is prefetched through the same bulkhead: two at a time, 160 ms each, in every 320
 * ms; a newsletter does the same for 60 ms in every 400 ms. Truth: pages wait for their scope, and that for the
 * bulkhead, because of Prefetcher.fetch. Measured: prefetching, the newsletter and offers in the bulkhead, within the
 * waiting of pages.
 */
final class OffersAwaitThePrefetcher {
    static final Truth.Diary PAGES = new Truth.Diary();
    static final Truth.Diary BULKHEAD = new Truth.Diary();

    static void held(int who, long from) {
        long to = System.nanoTime();
        PAGES.held(who, from, to);
        BULKHEAD.held(who, from, to);
    }

    record Bulkhead(Semaphore room) {
        <T> T call(Callable<T> inner) throws Exception {
            long from = System.nanoTime();
            room.acquire();
            BULKHEAD.waited(from, System.nanoTime());
            try {
                return inner.call();
            } finally {
                room.release();
            }
        }
    }

    /** Forks and joins. */
    static final class Scope {
        private final String owner = Thread.currentThread().getName();
        private final Map<String, Object> answers = new ConcurrentHashMap<>();
        private final CountDownLatch open;

        Scope(int forks) {
            open = new CountDownLatch(forks);
        }

        void fork(String part, Callable<?> work) {
            Truth.virtual(owner + "/" + part, () -> {
                try {
                    answers.put(part, work.call());
                } catch (Exception exception) {
                    answers.put(part, exception);
                } finally {
                    open.countDown();
                }
            });
        }

        Map<String, Object> join() throws InterruptedException {
            open.await();
            return answers;
        }
    }

    record Partner(Bulkhead bulkhead) {
        List<String> offers(int customer) throws Exception {
            return bulkhead.call(() -> {
                long from = System.nanoTime();
                Truth.sleep(0.001);
                held(2, from);
                return List.of("offer for " + customer);
            });
        }
    }

    record Prefetcher(Bulkhead bulkhead, Map<Integer, String> catalogue) {
        String fetch(int category) {
            long from = System.nanoTime();
            Truth.sleep(0.16);
            held(0, from);
            return "category " + category;
        }

        void category(int number) throws Exception {
            catalogue.put(number % 50, bulkhead.call(() -> fetch(number)));
        }
    }

    record Newsletter(Bulkhead bulkhead) {
        int headline() {
            long from = System.nanoTime();
            Truth.sleep(0.06);
            held(1, from);
            return 1;
        }

        void compose() throws Exception {
            bulkhead.call(this::headline);
        }
    }

    record Page(Partner partner) {
        int show(int customer) throws InterruptedException {
            Scope scope = new Scope(4);
            scope.fork("stock", () -> customer % 7);
            scope.fork("prices", () -> customer * 3);
            scope.fork("reviews", () -> "fine");
            scope.fork("offers", () -> partner.offers(customer));
            long from = System.nanoTime();
            int parts = scope.join().size();
            PAGES.waited(from, System.nanoTime());
            return parts;
        }
    }

    public static void main(String[] arguments) {
        Bulkhead bulkhead = new Bulkhead(new Semaphore(2));
        Page page = new Page(new Partner(bulkhead));
        for (int i = 1; i <= 6; i++) {
            int customer = i;
            Truth.repeat("page-" + i, () -> {
                page.show(customer);
                Thread.sleep(30);
            });
        }
        Prefetcher prefetcher = new Prefetcher(bulkhead, new ConcurrentHashMap<>());
        Newsletter newsletter = new Newsletter(bulkhead);
        for (int i = 0; i < 2; i++) {
            int half = i;
            int[] round = {0};
            Truth.repeat("prefetch-" + i, () -> {
                prefetcher.category(round[0]++ * 2 + half);
                Thread.sleep(160);
            });
            Truth.repeat("newsletter-" + i, () -> {
                newsletter.compose();
                Thread.sleep(340);
            });
        }
        PAGES.fill(Truth.seconds(arguments));
        System.out.printf("within the waiting for the bulkhead %.3f%n", BULKHEAD.share(0));
        Truth.of("a catalogue is prefetched through the bulkhead that a part of each page needs")
            .object("CountDownLatch", "Scope", "Semaphore", "NonfairSync")
            .culprit("Prefetcher.fetch", "Prefetcher.category")
            .thread("prefetch-*").victims("page-*", "page-*/offers")
            .share(PAGES.share(0), "the pages' waiting for their parts").say();
    }
}
