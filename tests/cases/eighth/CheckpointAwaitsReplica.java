import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store with a replica. Writers take the store's lock with a limit of 30 ms and try again later.
 *
 * Problem: Primary.checkpoint sends twenty pages to the replica and awaits an acknowledgement of each, with
 * the store's lock in its hand; Replica.apply takes 8 ms a page. Most attempts of the writers end by their limit.
 * Truth: for the lock, because of Replica.apply (Primary.checkpoint holds and waits for it). Measured: the part
 * of the writers' waiting during which the replica applied.
 */
final class CheckpointAwaitsReplica {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Replica {
        final LinkedBlockingQueue<Integer> pages = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<Integer> acknowledged = new LinkedBlockingQueue<>();

        void follow() throws InterruptedException {
            int page = pages.take();
            apply();
            acknowledged.put(page);
        }

        private void apply() {
            long from = System.nanoTime();
            Truth.sleep(0.008);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Primary {
        private final ReentrantLock lock = new ReentrantLock();
        private final Replica replica;
        private final AtomicInteger gaveUp = new AtomicInteger();
        private int rows;

        Primary(Replica replica) {
            this.replica = replica;
        }

        void checkpoint() throws InterruptedException {
            lock.lock();
            try {
                for (int page = 0; page < 20; page++) {
                    replica.pages.put(page);
                    replica.acknowledged.take();
                }
            } finally {
                lock.unlock();
            }
        }

        boolean write() throws InterruptedException {
            long from = System.nanoTime();
            boolean got = lock.tryLock(30, TimeUnit.MILLISECONDS);
            DIARY.waited(from, System.nanoTime());
            if (!got) {
                gaveUp.incrementAndGet();
                return false;
            }
            try {
                rows += 1;
                return true;
            } finally {
                lock.unlock();
            }
        }
    }

    record Writer(Primary primary) {
        void next() throws InterruptedException {
            while (!primary.write()) {
                Thread.sleep(5);
            }
            Thread.sleep(3);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Replica replica = new Replica();
        Primary primary = new Primary(replica);
        Truth.repeat("replica", replica::follow);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("writer-" + i, new Writer(primary)::next);
        }
        Truth.repeat("checkpoint", () -> {
            Thread.sleep(180);
            primary.checkpoint();
        });
        Truth.sleep(seconds);
        System.out.println(primary.gaveUp.get() + " attempts given up");
        Truth.of("a checkpoint waits for its replica with the store's lock in its hand")
            .object("ReentrantLock", "NonfairSync", "Primary").culprit("Replica.apply", "Primary.checkpoint")
            .thread("replica", "checkpoint").victims("writer-*")
            .share(DIARY.share(0), "the writers' waiting for the lock").say();
    }
}
