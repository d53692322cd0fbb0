import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A microphone gives a block of sound each 10 ms; three stages pass it on (filter, mix, send), each 3 ms of
 * work, in eight blocks that go round for ever.
 *
 * Problem: none. Every stage waits for the one before it two thirds of its time, free blocks are always
 * there, and the microphone is never late. Truth: healthy. Measured: blocks sent and the fewest free ones.
 */
final class RecycledBuffersHealthy {
    static final class Block {
        final short[] samples = new short[480];
    }

    static final class Line {
        final BlockingQueue<Block> free = new ArrayBlockingQueue<>(8);
        final BlockingQueue<Block> raw = new ArrayBlockingQueue<>(8);
        final BlockingQueue<Block> filtered = new ArrayBlockingQueue<>(8);
        final BlockingQueue<Block> mixed = new ArrayBlockingQueue<>(8);
    }

    static final class Microphone {
        static volatile int fewest = 8;
        private final Line line;
        private long beat = System.nanoTime();

        Microphone(Line line) {
            this.line = line;
        }

        void record() throws InterruptedException {
            beat += 10_000_000;
            Thread.sleep(Math.max(0, (beat - System.nanoTime()) / 1_000_000));
            fewest = Math.min(fewest, line.free.size());
            line.raw.put(line.free.take());
        }
    }

    static final class Stage {
        static final AtomicInteger SENT = new AtomicInteger();
        private final BlockingQueue<Block> from, to;

        Stage(BlockingQueue<Block> from, BlockingQueue<Block> to) {
            this.from = from;
            this.to = to;
        }

        void passOn() throws InterruptedException {
            Block block = from.take();
            for (int i = 1; i < block.samples.length; i++) {
                block.samples[i] = (short) ((block.samples[i - 1] + block.samples[i] + i) / 2);
            }
            Thread.sleep(3);
            to.put(block);
            SENT.incrementAndGet();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Line line = new Line();
        for (int i = 0; i < 8; i++) {
            line.free.put(new Block());
        }
        Truth.repeat("microphone", new Microphone(line)::record);
        Truth.repeat("filter", new Stage(line.raw, line.filtered)::passOn);
        Truth.repeat("mix", new Stage(line.filtered, line.mixed)::passOn);
        Truth.repeat("send", new Stage(line.mixed, line.free)::passOn);
        Truth.sleep(seconds);
        System.out.println(Stage.SENT.get() / 3 + " blocks, at least " + Microphone.fewest + " free");
        Truth.healthy("stages that the microphone paces").object().culprit().thread().victims().noShare()
            .say();
    }
}
