import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * An event bus calls its listeners under its monitor, one after the other. Two of them are quick, the
 * third writes an audit entry, 12 ms of a processor each time.
 *
 * Problem: Audit.onEvent is slow, and the bus is locked meanwhile. Truth: publishers wait for the bus.
 * Measured: the audit's share of the time that the bus is held.
 */
final class AuditListenerOnTheBus {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Bus {
        private final List<Consumer<String>> listeners = new ArrayList<>();

        synchronized void subscribe(Consumer<String> listener) {
            listeners.add(listener);
        }

        void publish(String event) {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                for (Consumer<String> listener : listeners) {
                    listener.accept(event);
                }
            }
        }
    }

    static final class Counter {
        int events;

        void onEvent(String event) {
            events++;
        }
    }

    static final class Cache {
        void onEvent(String event) {
            long from = System.nanoTime();
            burn(1);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Audit {
        final StringBuilder log = new StringBuilder();

        void onEvent(String event) {
            long from = System.nanoTime();
            burn(12);
            log.append(event.hashCode());
            if (log.length() > 10000) {
                log.setLength(0);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static double burn(int millis) {
        double x = 1;
        long until = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() < until) {
            x = Math.sqrt(x + 3);
        }
        return x;
    }

    public static void main(String[] arguments) {
        Bus bus = new Bus();
        bus.subscribe(new Counter()::onEvent);
        bus.subscribe(new Cache()::onEvent);
        bus.subscribe(new Audit()::onEvent);
        for (int i = 1; i <= 6; i++) {
            int number = i;
            Truth.repeat("publisher-" + i, () -> {
                bus.publish("order " + number);
                Truth.sleep(0.03);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a slow listener is called while the event bus is locked")
            .object("Bus").culprit("Audit.onEvent").thread("publisher-*").victims("publisher-*")
            .share(DIARY.share(0), "the publishers' waiting for the bus").say();
    }
}
