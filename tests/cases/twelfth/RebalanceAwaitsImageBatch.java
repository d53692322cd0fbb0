import java.util.ArrayList;
import java.util.List;

/**
 * Six consumers of a log share its partitions. Twice a second the partitions are shared out anew (a member came or
 * went): a consumer sees so when it polls the next time, joins the group again, and waits until all have joined.
 *
 * Problem: one partition has image batches, and ImageBatch.scale takes 300 ms for one before the consumer polls again;
 * all the others wait so long in Group.join. Truth: consumers wait for the Group because of ImageBatch.scale. Measured:
 * who has not joined, evenly shared, against the consumers' waiting in join.
 */
final class RebalanceAwaitsImageBatch {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Batch {
        void process() throws InterruptedException;
    }

    static final class OrderBatch implements Batch {
        private int orders;

        @Override
        public void process() throws InterruptedException {
            Thread.sleep(4);
            orders += 10;
        }
    }

    static final class ImageBatch implements Batch {
        private int images;

        @Override
        public void process() throws InterruptedException {
            for (int image = 0; image < 12; image++) {
                scale(image);
            }
        }

        private void scale(int image) throws InterruptedException {
            Thread.sleep(25);
            images += image % 5 == 0 ? 0 : 1;
        }
    }

    static final class Group {
        private final int members;
        private int joined;
        private int generation;
        private volatile long wantedSince;

        Group(int members) {
            this.members = members;
        }

        void rebalance() {
            if (wantedSince == 0) {
                wantedSince = System.nanoTime();
            }
        }

        boolean isRebalancing() {
            return wantedSince != 0;
        }

        synchronized void join(int kind) throws InterruptedException {
            long now = System.nanoTime();
            DIARY.held(kind, wantedSince, now);
            if (++joined == members) {
                joined = 0;
                generation++;
                wantedSince = 0;
                notifyAll();
                return;
            }
            int before = generation;
            while (generation == before) {
                wait();
            }
            DIARY.waited(now, System.nanoTime());
        }
    }

    static final class Consumer {
        private final Group group;
        private final List<Batch> partition = new ArrayList<>();
        private final int kind;
        private int next;

        Consumer(Group group, boolean images) {
            this.group = group;
            kind = images ? 0 : 1;
            for (int i = 0; i < 8; i++) {
                partition.add(images ? new ImageBatch() : new OrderBatch());
            }
        }

        void poll() throws InterruptedException {
            if (group.isRebalancing()) {
                group.join(kind);
            }
            Thread.sleep(1);
            partition.get(next++ % partition.size()).process();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Group group = new Group(6);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("consumer-" + i, new Consumer(group, i == 3)::poll);
        }
        Truth.repeat("membership", () -> {
            Thread.sleep(450);
            group.rebalance();
        });
        DIARY.fill(seconds);
        Truth.of("all consumers wait in a rebalance for the one that scales images before it polls again")
            .object("Group").culprit("ImageBatch.scale", "ImageBatch.process").thread("consumer-*")
            .victims("consumer-*").share(DIARY.share(0), "the consumers' waiting in join").say();
    }
}
