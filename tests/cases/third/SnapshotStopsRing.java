import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.Random;
import java.util.concurrent.ThreadFactory;

/**
 * Four feeds publish ticks into a ring buffer of 64 slots, one keeper of positions takes them out.
 * After every 300 ticks the keeper stores a snapshot, which takes 100 to 160 ms.
 *
 * NEEDS: libdisruptor-java (disruptor.jar)
 *
 * Problem: PositionKeeper.storeSnapshot stops the ring's only consumer; within 25 ms the ring is
 * full, and all feeds wait in next(), which parks for a nanosecond again and again, at no object.
 * Truth: the snapshot, thread position-keeper. Measured: when the keeper stored and when it took
 * ticks, within the feeds' time in next().
 */
final class SnapshotStopsRing {
    private static final int SNAPSHOT = 0, TICKS = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Tick {
        int instrument;
        long amount;
    }

    static final class PositionKeeper implements EventHandler<Tick> {
        private final Random random = new Random(7);
        private final long[] positions = new long[50];

        @Override
        public void onEvent(Tick tick, long sequence, boolean endOfBatch) {
            long from = System.nanoTime();
            positions[tick.instrument] += tick.amount;
            long to = System.nanoTime();
            DIARY.held(TICKS, from, to);
            if (sequence % 300 == 299) {
                storeSnapshot();
                DIARY.held(SNAPSHOT, to, System.nanoTime());
            }
        }

        private void storeSnapshot() {
            Truth.sleep(0.1 + random.nextDouble() * 0.06);
        }
    }

    public static void main(String[] arguments) {
        ThreadFactory threads = work -> Truth.daemon("position-keeper", work);
        Disruptor<Tick> disruptor = new Disruptor<>(Tick::new, 64, threads, ProducerType.MULTI,
            new BlockingWaitStrategy());
        disruptor.handleEventsWith(new PositionKeeper());
        RingBuffer<Tick> ring = disruptor.start();
        for (int i = 1; i <= 4; i++) {
            Random random = new Random(i);
            Truth.daemon("feed-" + i, () -> feed(ring, random)).start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the ring's only consumer stores a snapshot, so the ring fills and feeds wait")
            .object()
            .culprit("PositionKeeper.storeSnapshot", "PositionKeeper.onEvent")
            .thread("position-keeper").victims("feed-*")
            .share(DIARY.share(SNAPSHOT), "the feeds' waiting for a free slot").say();
    }

    private static void feed(RingBuffer<Tick> ring, Random random) {
        while (true) {
            Truth.sleep(0.001 + random.nextDouble() * 0.001);
            publish(ring, random.nextInt(50), random.nextInt(1000));
        }
    }

    private static void publish(RingBuffer<Tick> ring, int instrument, int amount) {
        long asked = System.nanoTime();
        long slot = ring.next();
        DIARY.waited(asked, System.nanoTime());
        ring.get(slot).instrument = instrument;
        ring.get(slot).amount = amount;
        ring.publish(slot);
    }
}
