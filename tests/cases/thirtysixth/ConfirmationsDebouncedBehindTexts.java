import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * Changes of an order are not confirmed at once, but 6 ms later, in case there are more: they lie in a
 * DelayQueue, from which one thread takes what is due. Five customers wait for their confirmation.
 *
 * Problem: reminders lie in the same queue, and the thread sends them itself, as text messages,
 * TextGateway.send, 24 ms. Truth: customers wait for their CompletableFuture because of
 * TextGateway.send. Measured: the part of the customers' waiting during which texts are sent.
 */
final class ConfirmationsDebouncedBehindTexts {
    static final Truth.Diary DIARY = new Truth.Diary();

    abstract static class Due implements Delayed {
        private final long at;

        Due(long millis) {
            at = System.nanoTime() + millis * 1_000_000;
        }

        abstract void happen();

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(at, ((Due) other).at);
        }
    }

    static final class Confirmation extends Due {
        private final CompletableFuture<String> done = new CompletableFuture<>();
        private final List<String> changes = new ArrayList<>();

        Confirmation(String change) {
            super(6);
            changes.add(change);
        }

        @Override
        void happen() {
            done.complete(String.join(", ", changes));
        }
    }

    static final class TextGateway {
        private int sent;

        void send(String number) {
            Truth.sleep(0.024);
            sent += number.length();
        }
    }

    static final class Reminder extends Due {
        private final TextGateway gateway;
        private final String number;

        Reminder(TextGateway gateway, String number) {
            super(15);
            this.gateway = gateway;
            this.number = number;
        }

        @Override
        void happen() {
            long from = System.nanoTime();
            gateway.send(number);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Due> queue = new DelayQueue<>();
        TextGateway gateway = new TextGateway();
        Truth.repeat("due-dates", () -> queue.take().happen());
        Truth.repeat("reminders", () -> {
            queue.add(new Reminder(gateway, "0151 555 36"));
            Thread.sleep(33);
        });
        DIARY.clients("customer", 5, 14, () -> {
            Confirmation confirmation = new Confirmation("a dozen more");
            queue.add(confirmation);
            confirmation.done.get();
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("text messages are sent by the thread for confirmations").object("CompletableFuture", "Signaller")
            .culprit("TextGateway.send").thread("due-dates").victims("customer-*")
            .share(DIARY.share(0), "the customers' waiting for a confirmation").say();
    }
}
