import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * Four publishers may have 24 messages on the way (a Semaphore). A subscriber takes what has come, up to 24, handles
 * each (0.4 ms), commits how far it is, and gives all their permits back at once.
 *
 * Problem: OffsetStore.commit takes 25 ms. Truth: publishers wait for the Semaphore because of OffsetStore.commit.
 * Measured: the part of the waiting for a permit during which an offset is committed.
 */
final class WindowOpensWithTheCommit {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class OffsetStore {
        private long offset;

        void commit(long to) {
            long from = System.nanoTime();
            Truth.sleep(0.025);
            offset = to;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Channel {
        private final Semaphore window = new Semaphore(24);
        private final BlockingQueue<Long> messages = new LinkedBlockingQueue<>();

        void publish(long message) throws InterruptedException {
            long from = System.nanoTime();
            window.acquire();
            DIARY.waited(from, System.nanoTime());
            messages.add(message);
        }

        List<Long> poll() throws InterruptedException {
            List<Long> batch = new ArrayList<>();
            batch.add(messages.take());
            messages.drainTo(batch, 23);
            return batch;
        }

        void acknowledge(int count) {
            window.release(count);
        }
    }

    static final class Subscriber implements Truth.Step {
        private final Channel channel;
        private final OffsetStore store = new OffsetStore();
        private long sum;

        Subscriber(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void run() throws Exception {
            List<Long> batch = channel.poll();
            for (long message : batch) {
                handle(message);
            }
            store.commit(sum);
            channel.acknowledge(batch.size());
        }

        private void handle(long message) {
            long from = System.nanoTime();
            Truth.sleep(0.0004);
            sum += message;
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        Channel channel = new Channel();
        Truth.repeat("subscriber", new Subscriber(channel));
        for (int i = 1; i <= 4; i++) {
            long own = i;
            Truth.repeat("publisher-" + i, () -> {
                channel.publish(own);
                Thread.sleep(2);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a window is opened again when all of a batch is committed").object("Semaphore", "NonfairSync")
            .culprit("OffsetStore.commit").thread("subscriber").victims("publisher-*")
            .share(DIARY.share(0), "the publishers' waiting for a permit").say();
    }
}
