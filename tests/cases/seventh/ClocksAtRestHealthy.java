import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Everything that runs by the clock, with little to do: three java.util.Timer, a scheduler of four threads,
 * a queue of sessions that expire, and a watchdog that is fed in time.
 *
 * Problem: none. All is done within a millisecond of its time. Truth: healthy. Measured: how much was done.
 */
final class ClocksAtRestHealthy {
    static final AtomicInteger DONE = new AtomicInteger();

    static final class Session implements Delayed {
        private final long end = System.nanoTime() + 400_000_000;

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** Barks where nobody has fed it for two seconds. */
    static final class Watchdog {
        private boolean fed;

        synchronized void feed() {
            fed = true;
            notifyAll();
        }

        synchronized void watch() throws InterruptedException {
            fed = false;
            wait(2000);
            if (!fed) {
                System.out.println("woof");
            }
        }
    }

    private static void timer(String name, long period) {
        new Timer(name, true).schedule(new TimerTask() {
            @Override
            public void run() {
                DONE.incrementAndGet();
            }
        }, period, period);
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        timer("statistics-timer", 250);
        timer("lease-timer", 700);
        timer("midnight-timer", 86_400_000);
        AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(4, work -> {
            Thread thread = new Thread(work, "scheduler-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        for (int period : new int[] {150, 330, 800, 5000}) {
            scheduler.scheduleAtFixedRate(DONE::incrementAndGet, period, period, TimeUnit.MILLISECONDS);
        }
        DelayQueue<Session> sessions = new DelayQueue<>();
        Truth.repeat("login", () -> {
            Thread.sleep(120);
            sessions.put(new Session());
        });
        Truth.repeat("session-expiry", () -> {
            sessions.take();
            DONE.incrementAndGet();
        });
        Watchdog watchdog = new Watchdog();
        Truth.repeat("watchdog", watchdog::watch);
        Truth.repeat("main-loop", () -> {
            Thread.sleep(500);
            watchdog.feed();
        });
        Truth.sleep(seconds);
        System.out.println(DONE.get() + " done");
        Truth.healthy("timers, a scheduler and a watchdog at rest").object().culprit().thread().victims()
            .noShare().say();
    }
}
