import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Six shops publish what they sell on a bus, which has room for 60 events and one thread that calls the listeners.
 *
 * Problem: one listener publishes too, when stock is low, and does so on the bus's own thread. When a campaign
 * begins, a second and a half after the start, the bus is full; the only thread that takes from it waits for room
 * in it. Truth: stuck, shops wait for an ArrayBlockingQueue because of StockListener.onEvent.
 */
final class ListenerPublishesIntoItsBus {
    record Event(String name, int article) {
    }

    interface Listener {
        void onEvent(Event event) throws InterruptedException;
    }

    static final class EventBus {
        private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(60);
        private final List<Listener> listeners = new ArrayList<>();

        void publish(Event event) throws InterruptedException {
            events.put(event);
        }

        void dispatch() throws InterruptedException {
            Event event = events.take();
            for (Listener listener : listeners) {
                listener.onEvent(event);
            }
        }
    }

    static final class SalesListener implements Listener {
        private int sold;

        @Override
        public void onEvent(Event event) throws InterruptedException {
            if (event.name().equals("sold")) {
                sold++;
                Thread.sleep(0, 200_000);
            }
        }
    }

    static final class StockListener implements Listener {
        private final int[] stock = new int[50];
        private final EventBus bus;

        StockListener(EventBus bus) {
            this.bus = bus;
        }

        @Override
        public void onEvent(Event event) throws InterruptedException {
            if (event.name().equals("sold") && --stock[event.article()] < 5) {
                stock[event.article()] += 12;
                bus.publish(new Event("order", event.article()));
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        EventBus bus = new EventBus();
        bus.listeners.add(new SalesListener());
        bus.listeners.add(new StockListener(bus));
        List<Thread> threads = new ArrayList<>();
        long campaign = System.nanoTime() + 1_500_000_000L;
        threads.add(Truth.repeat("bus", bus::dispatch));
        for (int i = 1; i <= 6; i++) {
            int[] article = {i};
            threads.add(Truth.repeat("shop-" + i, () -> {
                article[0] = (article[0] + 11) % 50;
                bus.publish(new Event("sold", article[0]));
                if (System.nanoTime() < campaign) {
                    Thread.sleep(5);
                }
            }));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a listener waits for room in the bus that only its own thread empties")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("StockListener.onEvent").thread("bus")
            .victims("shop-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
