import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Four queries ask five shards at once, each in a thread of its own (a virtual one where the JDK has them), and wait for
 * a latch until all have answered: 3 ms each.
 *
 * Problem: the last shard's data are on a cold disk, 45 ms. Truth: queries wait for the CountDownLatch because of
 * ColdDisk.read. Measured: its reading within the queries' waiting.
 */
final class ColdShardAnswersLast {
    static final LongAdder COLD = new LongAdder(), ALL = new LongAdder();

    interface Disk {
        void read();
    }

    record WarmDisk() implements Disk {
        @Override
        public void read() {
            Truth.sleep(0.003);
        }
    }

    record ColdDisk() implements Disk {
        @Override
        public void read() {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            COLD.add(System.nanoTime() - from);
        }
    }

    record Shard(Disk disk, CountDownLatch answered) implements Runnable {
        @Override
        public void run() {
            disk.read();
            answered.countDown();
        }
    }

    static void query() throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(5);
        for (int shard = 1; shard <= 5; shard++) {
            Truth.virtual("shard-" + shard, new Shard(shard == 5 ? new ColdDisk() : new WarmDisk(), answered));
        }
        long from = System.nanoTime();
        answered.await();
        ALL.add(System.nanoTime() - from);
        Thread.sleep(10);
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("query-" + i, ColdShardAnswersLast::query);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("one of five shards is slow, and all wait for it").object("CountDownLatch")
            .culprit("ColdDisk.read").thread("shard-*").victims("query-*")
            .share((double) COLD.sum() / ALL.sum(), "the queries' waiting for their shards").say();
    }
}
