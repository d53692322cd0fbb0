import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five sessions may go on for as long as their lease is fresh: a task of a scheduled pool of two threads renews it
 * every 30 ms. Who has used up a lease waits for the next.
 *
 * Problem: at the same pool StatementArchiver.archive runs for each of two branches, for 500 ms, every 800 ms. While
 * both run, nobody renews. Truth: sessions wait for the monitor of Lease because of StatementArchiver.archive.
 * Measured: no share, as sessions wait for the next renewal anyhow.
 */
final class LeasesStarveBehindArchiver {
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

    static final class StatementArchiver {
        private final AtomicInteger archived = new AtomicInteger();

        void archive(String branch) {
            for (int statement = 0; statement < 25; statement++) {
                store(branch, statement);
            }
        }

        private void store(String branch, int statement) {
            Truth.sleep(0.02);
            archived.addAndGet(branch.length() + statement);
        }
    }

    static final class Session {
        private final Lease lease;
        private int last;

        Session(Lease lease) {
            this.lease = lease;
        }

        void step() throws InterruptedException {
            last = lease.awaitAfter(last);
            Truth.sleep(0.004);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lease lease = new Lease();
        AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService timers = Executors.newScheduledThreadPool(2, work ->
            Truth.daemon("timer-" + number.incrementAndGet(), work));
        timers.scheduleAtFixedRate(lease::renew, 0, 30, TimeUnit.MILLISECONDS);
        StatementArchiver archiver = new StatementArchiver();
        for (String branch : new String[] {"north", "south"}) {
            timers.scheduleWithFixedDelay(() -> archiver.archive(branch), 200, 300, TimeUnit.MILLISECONDS);
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("session-" + i, new Session(lease)::step);
        }
        Truth.sleep(seconds);
        Truth.of("both threads of a scheduled pool archive; leases are not renewed").object("Lease")
            .culprit("StatementArchiver.archive", "StatementArchiver.store").thread("timer-*").victims("session-*")
            .noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
