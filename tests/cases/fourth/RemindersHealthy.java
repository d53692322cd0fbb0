import java.util.Random;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A delay queue of some hundred reminders is emptied by three threads as they become due, each of which
 * sets the next one. A scheduler of six threads has eight small periodic tasks, one once a second.
 *
 * Problem: none; all wait for a time to come. Truth: healthy. Measured: nothing.
 */
final class RemindersHealthy {
    static final class Reminder implements Delayed {
        private final long at;

        Reminder(double seconds) {
            at = System.nanoTime() + (long) (seconds * 1e9);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(at, ((Reminder) other).at);
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Reminder> reminders = new DelayQueue<>();
        Random random = new Random(8);
        for (int i = 0; i < 100; i++) {
            reminders.add(new Reminder(random.nextDouble() * 6));
        }
        for (int i = 1; i <= 3; i++) {
            Random own = new Random(i);
            Truth.repeat("reminder-" + i, () -> {
                try {
                    reminders.take();
                    Truth.sleep(0.002);
                    reminders.add(new Reminder(3 + own.nextDouble() * 3));
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        AtomicInteger number = new AtomicInteger();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(6, work -> {
            Thread thread = new Thread(work, "periodic-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 1; i <= 8; i++) {
            clock.scheduleWithFixedDelay(() -> Truth.sleep(0.003), i * 20, i * 125,
                TimeUnit.MILLISECONDS);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("reminders and periodic tasks wait until they are due")
            .object().culprit().thread().victims().noShare().say();
    }
}
