import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A loop of its own making runs duties when they are due: it waits on its monitor until the first
 * of them. Sessions ask it to renew their lease in 15 ms and wait on the lease, an object of
 * their own, until that is done. Every 0.6 s or so the loop also runs an audit of all leases for
 * 250 to 450 ms.
 *
 * Problem: LeaseAudit.verify keeps the loop's thread. Truth: the sessions wait on the monitors of
 * their Leases because of it. Measured: when the loop was in the audit, in other duties or at
 * rest, within the sessions' waits.
 */
final class LeaseRenewals {
    static final Truth.Diary diary = new Truth.Diary();
    static volatile boolean stopped;

    enum Doing { AUDIT, RENEWING, RESTING }

    public static void main(String[] arguments) {
        DutyLoop loop = new DutyLoop();
        loop.start();
        new LeaseAudit(loop).arrange();
        for (int i = 1; i <= 10; i++) {
            new Session(loop, i).start();
        }
        Truth.run(arguments, () -> stopped = true, 0.8);
        Truth.of("the loop that renews leases runs a long audit on the same thread, so renewals "
            + "come hundreds of milliseconds late")
            .object("Lease")
            .culprit("LeaseAudit.verify", "LeaseAudit.run", "LeaseAudit.compare")
            .thread("duty-loop").victims("session-*")
            .share(diary.share(Doing.AUDIT.ordinal()), "the sessions' waiting for renewals").say();
    }

    interface Duty {
        void run();

        Doing kind();
    }

    record Due(long nanos, Duty duty) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.compare(nanos, other.nanos);
        }
    }

    static final class DutyLoop extends Thread {
        private final PriorityQueue<Due> due = new PriorityQueue<>();

        DutyLoop() {
            super("duty-loop");
            setDaemon(true);
        }

        void in(long millis, Duty duty) {
            synchronized (due) {
                due.add(new Due(System.nanoTime() + millis * 1_000_000, duty));
                due.notify();
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    timed(next());
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }

        private Duty next() throws InterruptedException {
            long from = System.nanoTime();
            try {
                synchronized (due) {
                    while (due.isEmpty() || due.peek().nanos() > System.nanoTime()) {
                        due.wait(due.isEmpty() ? 0 : Math.max(1,
                            (due.peek().nanos() - System.nanoTime()) / 1_000_000));
                    }
                    return due.remove().duty();
                }
            } finally {
                diary.held(Doing.RESTING.ordinal(), from, System.nanoTime());
            }
        }

        private void timed(Duty duty) {
            long from = System.nanoTime();
            duty.run();
            diary.held(duty.kind().ordinal(), from, System.nanoTime());
        }
    }

    static final class Lease implements Duty {
        private boolean renewed;

        @Override
        public synchronized void run() {
            renewed = true;
            notifyAll();
        }

        @Override
        public Doing kind() {
            return Doing.RENEWING;
        }

        synchronized void await() throws InterruptedException {
            while (!renewed) {
                wait();
            }
        }
    }

    static final class Session extends Thread {
        private final DutyLoop loop;
        private final Random random;

        Session(DutyLoop loop, int number) {
            super("session-" + number);
            this.loop = loop;
            this.random = new Random(number);
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (!stopped) {
                    Thread.sleep(10 + random.nextInt(30));
                    renew(new Lease());
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }

        private void renew(Lease lease) throws InterruptedException {
            loop.in(15, lease);
            long from = System.nanoTime();
            lease.await();
            diary.waited(from, System.nanoTime());
        }
    }

    static final class LeaseAudit implements Duty {
        private final Map<Integer, Integer> known = new HashMap<>();
        private final Random random = new Random(99);
        private final DutyLoop loop;

        LeaseAudit(DutyLoop loop) {
            this.loop = loop;
        }

        void arrange() {
            loop.in(300, this);
        }

        @Override
        public void run() {
            verify(50 + random.nextInt(40));
            arrange();
        }

        private void verify(int leases) {
            for (int i = 0; i < leases; i++) {
                known.merge(i, compare(i), Integer::sum);
            }
        }

        private int compare(int lease) {
            try {
                Thread.sleep(5);
                return lease / 2;
            } catch (InterruptedException exception) {
                return -1;
            }
        }

        @Override
        public Doing kind() {
            return Doing.AUDIT;
        }
    }
}
