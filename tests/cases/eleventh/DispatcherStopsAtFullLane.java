import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Events come into one inbox; a dispatcher passes each on to the lane of its kind, which has a queue and a thread.
 *
 * Problem: one event in six is a payment, whose lane scores it, 18 ms; once that lane is full the dispatcher waits for
 * room there, all other lanes have nothing to do, and the inbox fills up. Truth: sources wait for room in the inbox, an
 * ArrayBlockingQueue, because of FraudCheck.score. Measured: the part of their waiting during which it scores.
 */
final class DispatcherStopsAtFullLane {
    static final Truth.Diary DIARY = new Truth.Diary();

    enum Kind { ORDER, RETURN, STOCK, ADDRESS, REVIEW, PAYMENT }

    record Event(Kind kind, int number) {
    }

    interface Handler {
        void handle(Event event) throws InterruptedException;
    }

    static final class FraudCheck implements Handler {
        private int suspicious;

        @Override
        public void handle(Event event) throws InterruptedException {
            long from = System.nanoTime();
            score(event);
            DIARY.held(0, from, System.nanoTime());
        }

        private void score(Event event) throws InterruptedException {
            Thread.sleep(18);
            suspicious += event.number() % 97 == 0 ? 1 : 0;
        }
    }

    static final class Journal implements Handler {
        private long written;

        @Override
        public void handle(Event event) throws InterruptedException {
            Thread.sleep(0, 300_000);
            written += event.number();
        }
    }

    static final class Lane {
        private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(16);

        Lane(Kind kind, Handler handler) {
            Truth.repeat("lane-" + kind.name().toLowerCase(Locale.ROOT), () -> handler.handle(queue.take()));
        }
    }

    static final class Dispatcher {
        private final BlockingQueue<Event> inbox = new ArrayBlockingQueue<>(40);
        private final Map<Kind, Lane> lanes = new EnumMap<>(Kind.class);

        Dispatcher() {
            for (Kind kind : Kind.values()) {
                lanes.put(kind, new Lane(kind, kind == Kind.PAYMENT ? new FraudCheck() : new Journal()));
            }
            Truth.repeat("dispatcher", this::dispatch);
        }

        void accept(Event event) throws InterruptedException {
            long from = System.nanoTime();
            inbox.put(event);
            DIARY.waited(from, System.nanoTime());
        }

        private void dispatch() throws InterruptedException {
            Event event = inbox.take();
            lanes.get(event.kind()).queue.put(event);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Dispatcher dispatcher = new Dispatcher();
        for (int i = 0; i < 5; i++) {
            int[] number = {i * 7};
            Truth.repeat("source-" + i, () -> {
                number[0]++;
                dispatcher.accept(new Event(Kind.values()[number[0] % 6], number[0]));
                Thread.sleep(4);
            });
        }
        DIARY.fill(seconds);
        Truth.of("the dispatcher waits for the one lane that is slow, and everybody behind it")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("FraudCheck.score", "FraudCheck.handle")
            .thread("lane-payment").victims("source-*").share(DIARY.share(0), "the sources' waiting for room").say();
    }
}
