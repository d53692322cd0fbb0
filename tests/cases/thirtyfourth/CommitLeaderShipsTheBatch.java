import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A commit log without a thread of its own: of eight writers the first leads, writes what all have brought, and tells
 * them; meanwhile the others gather the next batch, and wait at a condition.
 *
 * Problem: the leader sends the batch to the replica before it is forced to the disk, Replica.ship, 18 ms;
 * SegmentFile.force takes 5. Truth: writers wait for the condition because of Replica.ship. Measured: the part of the
 * writers' waiting for a leader during which a batch is shipped.
 */
final class CommitLeaderShipsTheBatch {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Replica {
        private long shipped;

        void ship(List<byte[]> batch) {
            long from = System.nanoTime();
            Truth.sleep(0.018);
            shipped += batch.size();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class SegmentFile {
        private long bytes;

        void force(List<byte[]> batch) {
            long from = System.nanoTime();
            for (byte[] entry : batch) {
                bytes += entry.length;
            }
            Truth.sleep(0.005);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class CommitLog {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition committed = lock.newCondition();
        private final Replica replica = new Replica();
        private final SegmentFile segment = new SegmentFile();
        private List<byte[]> pending = new ArrayList<>();
        private long appended, durable;
        private boolean led;

        void append(byte[] entry) throws InterruptedException {
            lock.lock();
            try {
                pending.add(entry);
                long own = ++appended;
                long from = System.nanoTime();
                while (led && durable < own) {
                    committed.await();
                }
                DIARY.waited(from, System.nanoTime());
                if (durable < own) {
                    lead();
                }
            } finally {
                lock.unlock();
            }
        }

        private void lead() {
            led = true;
            List<byte[]> batch = pending;
            long last = appended;
            pending = new ArrayList<>();
            lock.unlock();
            try {
                replica.ship(batch);
                segment.force(batch);
            } finally {
                lock.lock();
                durable = last;
                led = false;
                committed.signalAll();
            }
        }
    }

    public static void main(String[] arguments) {
        CommitLog log = new CommitLog();
        for (int i = 1; i <= 8; i++) {
            int pause = 5 + 3 * i;
            byte[] entry = new byte[40 * i];
            Truth.repeat("writer-" + i, () -> {
                log.append(entry);
                Thread.sleep(pause);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who leads a commit ships it to the replica").object("ConditionObject").culprit("Replica.ship")
            .thread("writer-*").victims("writer-*").share(DIARY.share(0), "the writers' waiting for a leader").say();
    }
}
