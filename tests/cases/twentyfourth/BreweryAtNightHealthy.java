import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A brewery at night. Probes in twenty tanks (virtual threads where there are any) sleep between readings and hand
 * them to three loggers, who mostly wait for one; brews fall due by the clock; watchmen look at a panel that tells
 * them of an alarm, or of none after 300 ms; the morning shift waits for its bell, and a call centre for a call that
 * does not come tonight.
 *
 * Problem: none. All that wait have nothing to do.
 */
final class BreweryAtNightHealthy {
    record Reading(int tank, double celsius) {}

    record Brew(String name, long due) implements Delayed {
        @Override
        public int compareTo(Delayed other) {
            return other instanceof Brew brew ? Long.signum(due - brew.due) : -other.compareTo(this);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        Brew again(long millis) {
            return new Brew(name, System.nanoTime() + millis * 1_000_000);
        }
    }

    static final class Panel {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition alarm = lock.newCondition();
        private int alarms;

        boolean watch() throws InterruptedException {
            lock.lock();
            try {
                return alarm.await(300, TimeUnit.MILLISECONDS);
            } finally {
                lock.unlock();
            }
        }

        void raise() {
            lock.lock();
            try {
                alarms++;
                alarm.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    record Tank(int number, TransferQueue<Reading> readings) {
        void probe() {
            for (double celsius = 18; ; celsius = celsius > 24 ? 18 : celsius + 0.1) {
                Truth.sleep(0.25);
                readings.add(new Reading(number, celsius));
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        TransferQueue<Reading> readings = new LinkedTransferQueue<>();
        DelayQueue<Brew> brews = new DelayQueue<>();
        Panel panel = new Panel();
        CountDownLatch bell = new CountDownLatch(1);
        CompletableFuture<String> call = new CompletableFuture<>();
        AtomicInteger logged = new AtomicInteger(), stirred = new AtomicInteger();
        for (int i = 1; i <= 20; i++) {
            Truth.virtual("probe-" + i, new Tank(i, readings)::probe);
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("logger-" + i, () -> {
                Reading reading = readings.take();
                logged.addAndGet(reading.tank());
                Thread.sleep(1);
            });
        }
        for (String name : new String[] {"pale", "stout", "wheat"}) {
            brews.add(new Brew(name, 0).again(200));
        }
        Truth.repeat("brewer", () -> {
            Brew brew = brews.take();
            stirred.incrementAndGet();
            brews.add(brew.again(400));
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("watchman-" + i, panel::watch);
            Truth.repeat("morning-shift-" + i, bell::await);
        }
        Truth.repeat("call-centre", call::get);
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, work -> Truth.daemon("clock", work));
        clock.scheduleAtFixedRate(panel::raise, 2, 2, TimeUnit.SECONDS);
        clock.scheduleWithFixedDelay(() -> Truth.sleep(0.003), 100, 100, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(arguments));
        System.out.printf("%d logged, %d stirred, %d alarms%n", logged.get(), stirred.get(), panel.alarms);
        Truth.healthy("a brewery whose threads wait for readings, for the clock and for the morning")
            .object().culprit().thread().victims().noShare().say();
    }
}
