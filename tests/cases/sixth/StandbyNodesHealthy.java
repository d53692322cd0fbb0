import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Three partitions, each with a leader and a standby. The leader renews its lease and does its work; the
 * standby waits to be promoted, which does not happen in ten seconds, nor on most days.
 *
 * Problem: none; a standby stands by. Truth: healthy. Measured: nothing.
 */
final class StandbyNodesHealthy {
    /** Who leads, until when. */
    static final class Lease {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition lost = lock.newCondition();
        private long validUntil = System.nanoTime() + 1_000_000_000L;
        private boolean free;

        void renew() {
            lock.lock();
            try {
                validUntil = System.nanoTime() + 1_000_000_000L;
            } finally {
                lock.unlock();
            }
        }

        void awaitLoss() throws InterruptedException {
            lock.lock();
            try {
                while (!free) {
                    lost.await();
                }
                free = false;
            } finally {
                lock.unlock();
            }
        }

        /** Whoever looks after all leases calls this each 200 ms. */
        void check() {
            lock.lock();
            try {
                if (System.nanoTime() > validUntil + 5_000_000_000L) {
                    free = true;
                    lost.signal();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Partition {
        private long applied;

        void apply() throws InterruptedException {
            for (int i = 0; i < 5; i++) {
                applied += next();
            }
        }

        private long next() throws InterruptedException {
            Thread.sleep(15);
            return applied % 3 + 1;
        }
    }

    record Leader(Lease lease, Partition partition) {
        void lead() throws InterruptedException {
            partition.apply();
            lease.renew();
        }
    }

    static final class Standby {
        private final Lease lease;
        private final Leader then;

        Standby(Lease lease, Partition partition) {
            this.lease = lease;
            then = new Leader(lease, partition);
        }

        void stand() throws InterruptedException {
            lease.awaitLoss();
            promote();
        }

        private void promote() throws InterruptedException {
            while (true) {
                then.lead();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lease[] leases = new Lease[3];
        for (int i = 0; i < leases.length; i++) {
            Partition partition = new Partition();
            leases[i] = new Lease();
            Truth.repeat("partition-" + i + "-leader", new Leader(leases[i], partition)::lead);
            Truth.repeat("partition-" + i + "-standby", new Standby(leases[i], partition)::stand);
        }
        Truth.repeat("lease-checker", () -> {
            TimeUnit.MILLISECONDS.sleep(200);
            for (Lease lease : leases) {
                lease.check();
            }
        });
        Truth.sleep(seconds);
        Truth.healthy("standbys that are not needed").object().culprit().thread().victims().noShare().say();
    }
}
