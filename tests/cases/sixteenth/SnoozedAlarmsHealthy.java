import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Alarms lie in a DelayQueue until they are due. Three bells, virtual threads where the JDK has them, take what is due,
 * ring for a millisecond and put it back for some hundred more; what a bell has rung it hands to a log, through a
 * SynchronousQueue, at which two threads wait.
 *
 * Problem: none: most of the time no alarm is due. Truth: healthy. Measured: how often it has rung.
 */
final class SnoozedAlarmsHealthy {
    static final AtomicLong RUNG = new AtomicLong(), LOGGED = new AtomicLong();

    static final class Alarm implements Delayed {
        private final long pause;
        private long due;

        Alarm(long pauseMillis) {
            pause = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            due = System.nanoTime() + pause;
        }

        void snooze() {
            due = System.nanoTime() + pause;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Alarm) other).due);
        }
    }

    record Bell(DelayQueue<Alarm> alarms, SynchronousQueue<Alarm> log) implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    Alarm alarm = alarms.take();
                    Thread.sleep(1);
                    RUNG.incrementAndGet();
                    log.put(alarm);
                    alarm.snooze();
                    alarms.put(alarm);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        DelayQueue<Alarm> alarms = new DelayQueue<>();
        SynchronousQueue<Alarm> log = new SynchronousQueue<>();
        for (int i = 0; i < 5; i++) {
            alarms.put(new Alarm(200 + 110 * i));
        }
        for (int i = 1; i <= 3; i++) {
            Truth.virtual("bell-" + i, new Bell(alarms, log));
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("log-" + i, () -> {
                log.take();
                LOGGED.incrementAndGet();
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d rung, %d logged%n", RUNG.get(), LOGGED.get());
        Truth.healthy("no alarm is due for most of the time").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
