import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Twelve browsers, virtual threads where the JDK has them, poll for news: each waits for the same CompletableFuture for
 * at most 900 ms, and asks again. An editor reads the wire every 1.3 s. Reminders come by a DelayQueue, three a second.
 *
 * Problem: none; there is no news. Truth: healthy.
 */
final class NewsPollsOnVirtualThreadsHealthy {
    record Reminder(long due) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Reminder) other).due);
        }
    }

    public static void main(String[] arguments) {
        AtomicReference<CompletableFuture<Integer>> news = new AtomicReference<>(new CompletableFuture<>());
        for (int i = 1; i <= 12; i++) {
            Truth.virtual("browser-" + i, () -> {
                try {
                    while (true) {
                        try {
                            news.get().get(900, TimeUnit.MILLISECONDS);
                            Thread.sleep(5);
                        } catch (TimeoutException exception) {
                            Thread.sleep(2);
                        }
                    }
                } catch (InterruptedException | ExecutionException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Truth.repeat("editor", () -> {
            Thread.sleep(1300);
            news.getAndSet(new CompletableFuture<>()).complete(1);
        });
        DelayQueue<Reminder> reminders = new DelayQueue<>();
        Truth.repeat("reminders", () -> {
            reminders.take();
            Truth.sleep(0.001);
        });
        Truth.repeat("calendar", () -> {
            reminders.put(new Reminder(System.nanoTime() + 200_000_000));
            Thread.sleep(330);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("browsers wait for news, and there is none").say();
    }
}
