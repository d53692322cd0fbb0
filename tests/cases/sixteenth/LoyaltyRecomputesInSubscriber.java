import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;

/**
 * Six tills and a desk for wholesale post each sale on Guava's EventBus, which calls its subscribers on the thread that
 * posts.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: the subscriber has no AllowConcurrentEvents, so only one sale at a time is in Loyalty.onSale; a sale of the
 * wholesale desk recomputes the customer's whole year there, for 50 ms, and the tills wait to post theirs. Truth: tills
 * wait for the bus's synchronized subscriber because of Loyalty.recompute. Measured: when a year is recomputed, within
 * the tills' calls of post until the subscriber is called, if that takes more than 1 ms.
 */
final class LoyaltyRecomputesInSubscriber {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Sale {
        final boolean isWholesale;
        final long posted = System.nanoTime();

        Sale(boolean isWholesale) {
            this.isWholesale = isWholesale;
        }
    }

    static final class Stock {
        private int sold;

        @Subscribe
        public void onSale(Sale sale) {
            sold++;
        }
    }

    static final class Loyalty {
        private long points;

        @Subscribe
        public void onSale(Sale sale) {
            long now = System.nanoTime();
            if (sale.isWholesale) {
                recompute();
                DIARY.held(0, now, System.nanoTime());
                return;
            }
            points++;
            if (now - sale.posted > 1_000_000) {
                DIARY.waited(sale.posted, now);
            }
        }

        private void recompute() {
            Truth.sleep(0.05);
            points += 100;
        }
    }

    record WholesaleDesk(EventBus bus) {
        void sell() throws InterruptedException {
            bus.post(new Sale(true));
            Thread.sleep(25);
        }
    }

    static void ring(EventBus bus) throws InterruptedException {
        bus.post(new Sale(false));
        Thread.sleep(12);
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        EventBus bus = new EventBus("sales");
        bus.register(new Stock());
        bus.register(new Loyalty());
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("till-" + i, () -> ring(bus));
        }
        Truth.repeat("wholesale", new WholesaleDesk(bus)::sell);
        DIARY.fill(seconds);
        Truth.of("a subscriber that takes one event at a time recomputes a year").object("SynchronizedSubscriber")
            .culprit("Loyalty.recompute", "WholesaleDesk.sell").thread("wholesale").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting to post").say();
        System.exit(0);
    }
}
