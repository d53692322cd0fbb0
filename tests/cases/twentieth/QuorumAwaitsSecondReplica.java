import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four writers have an entry stored by three replicas, each a thread with a queue of its own, and go on as soon as two
 * of them have it. The third, far away, needs 60 ms for an entry, and leaves out what it has no room for.
 *
 * Problem: the second replica packs each entry before it writes it, and ZipJournal.write takes 12 ms, where the first
 * needs 1 ms. Truth: writers wait for their CountDownLatch because of ZipJournal.write; the far one, though it is the
 * slowest, is hardly ever waited for. Measured: when ZipJournal.write runs, within the writers' waiting.
 */
final class QuorumAwaitsSecondReplica {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Entry(int amount, CountDownLatch stored) {}

    interface Journal {
        void write(Entry entry);
    }

    static final class NearJournal implements Journal {
        private long sum;

        @Override
        public void write(Entry entry) {
            long from = System.nanoTime();
            sum += entry.amount();
            Truth.sleep(0.001);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class ZipJournal implements Journal {
        private long packed;

        @Override
        public void write(Entry entry) {
            long from = System.nanoTime();
            packed += entry.amount() / 2;
            Truth.sleep(0.012);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class FarJournal implements Journal {
        private long sum;

        @Override
        public void write(Entry entry) {
            sum += entry.amount();
            Truth.sleep(0.06);
        }
    }

    static final class Replica implements Truth.Step {
        private final BlockingQueue<Entry> entries = new ArrayBlockingQueue<>(16);
        private final Journal journal;

        Replica(Journal journal) {
            this.journal = journal;
        }

        void offer(Entry entry) {
            entries.offer(entry);
        }

        @Override
        public void run() throws InterruptedException {
            Entry entry = entries.take();
            journal.write(entry);
            entry.stored().countDown();
        }
    }

    static final class Quorum {
        private final Replica[] replicas;

        Quorum(Replica... replicas) {
            this.replicas = replicas;
        }

        void store(int amount) throws InterruptedException {
            Entry entry = new Entry(amount, new CountDownLatch(2));
            for (Replica replica : replicas) {
                replica.offer(entry);
            }
            long from = System.nanoTime();
            entry.stored().await();
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Replica near = new Replica(new NearJournal()), zip = new Replica(new ZipJournal()),
                far = new Replica(new FarJournal());
        Truth.repeat("replica-near", near);
        Truth.repeat("replica-zip", zip);
        Truth.repeat("replica-far", far);
        Quorum quorum = new Quorum(near, zip, far);
        AtomicInteger stored = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("writer-" + i, () -> {
                quorum.store(stored.incrementAndGet());
                Thread.sleep(20);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d stored, waited %.2f s%n", stored.get(), DIARY.waitedSeconds());
        Truth.of("the second of two replicas that are needed packs each entry first").object("CountDownLatch")
            .culprit("ZipJournal.write").thread("replica-zip").victims("writer-*")
            .share(DIARY.share(0), "the writers' waiting for two replicas").say();
        Runtime.getRuntime().halt(0);
    }
}
