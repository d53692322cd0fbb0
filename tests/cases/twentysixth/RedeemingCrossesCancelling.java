import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A web shop on virtual threads, where there are any: six customers of one family pay parts of their baskets with the
 * family's gift card; each basket and the card has a ReentrantLock. A care desk looks after cards.
 *
 * Problem: Basket.redeem locks the basket and then the card. After two fifths of the time the care desk cancels cards:
 * GiftCard.cancel locks the card and then every basket that it was redeemed in. Soon the two wait for each other, and
 * all others for the card. No JVM reports a deadlock of virtual threads. Truth: customers wait for ever for the
 * ReentrantLock of GiftCard because of GiftCard.cancel and Basket.redeem.
 */
final class RedeemingCrossesCancelling {
    static final class Basket {
        private final ReentrantLock lock = new ReentrantLock();
        private int paid;

        void redeem(GiftCard card, int cents) {
            lock.lock();
            try {
                Truth.sleep(0.003);
                card.lock.lock();
                try {
                    card.left -= cents;
                    paid += cents;
                    Truth.sleep(0.001);
                } finally {
                    card.lock.unlock();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    static final class GiftCard {
        private final ReentrantLock lock = new ReentrantLock();
        private final List<Basket> baskets = new ArrayList<>();
        private int left = 100_000;

        void cancel() {
            lock.lock();
            try {
                for (Basket basket : baskets) {
                    basket.lock.lock();
                    try {
                        left += basket.paid;
                        basket.paid = 0;
                    } finally {
                        basket.lock.unlock();
                    }
                }
            } finally {
                lock.unlock();
            }
        }
    }

    record CareDesk(GiftCard card, AtomicBoolean cancels) implements Runnable {
        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                Truth.sleep(0.05);
                if (cancels.get()) {
                    card.cancel();
                }
            }
        }
    }

    record Customer(Basket basket, GiftCard card) implements Runnable {
        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                basket.redeem(card, 5);
                Truth.sleep(0.012);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        GiftCard card = new GiftCard();
        for (int i = 0; i < 6; i++) {
            card.baskets.add(new Basket());
        }
        AtomicBoolean cancels = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            threads.add(Truth.virtual("customer-" + i, new Customer(card.baskets.get(i - 1), card)));
        }
        threads.add(Truth.virtual("care-desk", new CareDesk(card, cancels)));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("baskets and their gift card are locked in opposite orders")
            .object("ReentrantLock", "NonfairSync", "GiftCard").culprit("GiftCard.cancel", "Basket.redeem")
            .thread("care-desk", "customer-*").victims("customer-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        cancels.set(true);
        Truth.sleep(seconds + 2);
    }
}
