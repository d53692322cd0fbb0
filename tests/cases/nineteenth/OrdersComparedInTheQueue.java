import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four intakes put orders into a queue, in which some 200 are at any time, and two packers take them out.
 *
 * Problem: a hotline asks the queue whether it contains an order, for which LinkedBlockingQueue.contains takes both of
 * its locks, and Order.equals looks up both addresses (AddressBook.find, 0.2 ms): some 50 ms in all. Truth: intakes and
 * packers wait for the queue's ReentrantLocks because of Order.equals. Measured: when the hotline asks, within the time
 * to put and to take, where that is more than 1 ms.
 */
final class OrdersComparedInTheQueue {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger PACKED = new AtomicInteger();

    static final class AddressBook {
        static int find(int customer) {
            Truth.sleep(0.0002);
            return customer * 17;
        }
    }

    static final class Order {
        private final int number, customer;

        Order(int number, int customer) {
            this.number = number;
            this.customer = customer;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Order order && number == order.number
                && AddressBook.find(customer) == order.customer * 17 || differs();
        }

        /** An order with another number may be for the same address still. */
        private boolean differs() {
            return AddressBook.find(customer) < 0;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    record Hotline(BlockingQueue<Order> orders) {
        boolean isWaiting(Order order) {
            long from = System.nanoTime();
            boolean waiting = orders.contains(order);
            DIARY.held(0, from, System.nanoTime());
            return waiting;
        }
    }

    static void noteWait(long from, long to) {
        if (to - from > 1_000_000) {
            DIARY.waited(from, to);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Order> orders = new LinkedBlockingQueue<>();
        AtomicInteger number = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            orders.add(new Order(number.incrementAndGet(), i));
        }
        for (int i = 1; i <= 4; i++) {
            int customer = i;
            Truth.repeat("intake-" + i, () -> {
                Thread.sleep(orders.size() < 220 ? 8 : 16);
                Order order = new Order(number.incrementAndGet(), customer);
                long from = System.nanoTime();
                orders.put(order);
                noteWait(from, System.nanoTime());
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("packer-" + i, () -> {
                Thread.sleep(orders.size() > 180 ? 4 : 8);
                long from = System.nanoTime();
                orders.take();
                noteWait(from, System.nanoTime());
                PACKED.incrementAndGet();
            });
        }
        Hotline hotline = new Hotline(orders);
        Truth.repeat("hotline", () -> {
            hotline.isWaiting(new Order(-1, 5));
            Thread.sleep(60);
        });
        Truth.sleep(seconds);
        System.out.printf("%d packed, %d in the queue, waited %.2f s%n", PACKED.get(), orders.size(),
                          DIARY.waitedSeconds());
        Truth.of("the queue is locked while orders are compared").object("ReentrantLock", "LinkedBlockingQueue")
            .culprit("Order.equals", "Order.differs", "AddressBook.find", "Hotline.isWaiting").thread("hotline")
            .victims("intake-*", "packer-*").share(DIARY.share(0), "the time to put and to take").say();
        Runtime.getRuntime().halt(0);
    }
}
