import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five sessions each wait for their lease to be renewed, which a task of a scheduled pool of three threads does every
 * 30 ms; the pool archives statements too, by one of its threads (50 ms, twice a second).
 *
 * Problem: none; the pool always has a thread for the leases. Truth: healthy. Measured: how many steps were made.
 */
final class LeasesRenewedInTimeHealthy {
    static final class Lease {
        private int number;

        synchronized void renew() {
            number++;
            notifyAll();
        }

        synchronized int awaitAfter(int last) throws InterruptedException {
            while (number <= last) {
                wait();
            }
            return number;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lease lease = new Lease();
        AtomicInteger threads = new AtomicInteger(), stepped = new AtomicInteger();
        ScheduledExecutorService timers = Executors.newScheduledThreadPool(3, work ->
            Truth.daemon("timer-" + threads.incrementAndGet(), work));
        timers.scheduleAtFixedRate(lease::renew, 0, 30, TimeUnit.MILLISECONDS);
        timers.scheduleWithFixedDelay(() -> Truth.sleep(0.05), 200, 450, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 5; i++) {
            int[] last = new int[1];
            Truth.repeat("session-" + i, () -> {
                last[0] = lease.awaitAfter(last[0]);
                stepped.incrementAndGet();
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d steps%n", stepped.get());
        Truth.healthy("leases are renewed at their pace").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
