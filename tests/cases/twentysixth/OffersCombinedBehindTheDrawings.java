import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Six desks of a joinery make offers: stock and timber are looked up side by side by three threads (2 ms), the price is
 * worked out of both on a thread of its own (3 ms), shipping is added, and discounts, wherever that is.
 *
 * Problem: the thread for prices draws plans too (DrawingOffice.plan, 48 ms, one every 110 ms) and rolls the day's book
 * (14 ms); it was called `calculations`, and drawing is one. Truth: desks wait for a CompletableFuture because of
 * DrawingOffice.plan, which is no part of what they combine. Measured: plans, book and prices on that thread within the
 * desks' waiting.
 */
final class OffersCombinedBehindTheDrawings {
    static final Truth.Diary DIARY = new Truth.Diary();

    static void work(int kind, double seconds) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(kind, from, System.nanoTime());
    }

    static final class Lookups {
        int stock(int article) {
            Truth.sleep(0.002);
            return article % 50;
        }

        int timber(int article) {
            Truth.sleep(0.002);
            return article * 3;
        }
    }

    static final class PriceList {
        int price(int stock, int timber) {
            work(2, 0.003);
            return stock + timber * 2;
        }
    }

    static final class DrawingOffice {
        void plan() {
            work(0, 0.048);
        }
    }

    static final class DayBook {
        void roll() {
            work(1, 0.014);
        }
    }

    record Offers(ExecutorService lookups, ExecutorService calculations, Lookups store, PriceList list) {
        CompletableFuture<String> make(int article) {
            CompletableFuture<Integer> stock = CompletableFuture.supplyAsync(() -> store.stock(article), lookups);
            CompletableFuture<Integer> timber = CompletableFuture.supplyAsync(() -> store.timber(article), lookups);
            return stock.thenCombineAsync(timber, list::price, calculations)
                .thenCompose(price -> CompletableFuture.completedFuture(price + 40))
                .thenApply(price -> price > 500 ? price * 97 / 100 : price)
                .handle((price, error) -> error == null ? "offer of " + price : "no offer");
        }
    }

    record Desk(Offers offers, int article) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            CompletableFuture<String> offer = offers.make(article);
            long from = System.nanoTime();
            offer.join();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(35);
        }
    }

    static ExecutorService pool(String name, int threads) {
        int[] number = {0};
        return Executors.newFixedThreadPool(threads, work -> Truth.daemon(name + "-" + ++number[0], work));
    }

    public static void main(String[] arguments) {
        ExecutorService calculations = pool("calculations", 1);
        Offers offers = new Offers(pool("lookups", 3), calculations, new Lookups(), new PriceList());
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("desk-" + i, new Desk(offers, i * 31));
        }
        DrawingOffice drawings = new DrawingOffice();
        Truth.repeat("architect", () -> {
            Thread.sleep(110);
            calculations.execute(drawings::plan);
        });
        DayBook book = new DayBook();
        Truth.repeat("accountant", () -> {
            Thread.sleep(140);
            calculations.execute(book::roll);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("book %.3f prices %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("plans are drawn on the only thread that works out prices").object("CompletableFuture", "Signaller")
            .culprit("DrawingOffice.plan").thread("calculations-*").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for their offers").say();
    }
}
