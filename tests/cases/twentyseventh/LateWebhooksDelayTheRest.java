import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * Six shops ask for a call back in 30 ms, and wait for it. One dispatcher takes the calls from a DelayQueue as they fall
 * due: a text message is sent within 2 ms.
 *
 * Problem: web hooks are called by the dispatcher too, Webhook.deliver, 60 ms each, one every 150 ms. Truth: shops wait
 * for a CompletableFuture because of Webhook.deliver, apart from the 30 ms that they asked for. Measured: web hooks and
 * text messages, within the shops' waiting.
 */
final class LateWebhooksDelayTheRest {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Call implements Delayed {
        final long due;
        final Runnable work;

        Call(long millis, Runnable work) {
            due = System.nanoTime() + millis * 1_000_000;
            this.work = work;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Call) other).due);
        }
    }

    static final class Webhook {
        void deliver() {
            long from = System.nanoTime();
            Truth.sleep(0.06);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Texts {
        void send() {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    record Shop(DelayQueue<Call> queue, Texts texts) implements Truth.Step {
        private CompletableFuture<Void> remind() {
            CompletableFuture<Void> reminded = new CompletableFuture<>();
            queue.add(new Call(30, () -> {
                texts.send();
                reminded.complete(null);
            }));
            return reminded;
        }

        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            remind().join();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(25);
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Call> queue = new DelayQueue<>();
        Truth.repeat("dispatcher", () -> queue.take().work.run());
        Texts texts = new Texts();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("shop-" + i, new Shop(queue, texts));
        }
        Webhook webhook = new Webhook();
        Truth.repeat("events", () -> {
            queue.add(new Call(5, webhook::deliver));
            Thread.sleep(90);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("texts %.3f%n", DIARY.share(1));
        Truth.of("slow web hooks are called by the thread that sends reminders").object("CompletableFuture", "Signaller")
            .culprit("Webhook.deliver").thread("dispatcher").victims("shop-*")
            .share(DIARY.share(0), "the shops' waiting to be reminded").say();
    }
}
