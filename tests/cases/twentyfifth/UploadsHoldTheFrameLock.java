import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;

/**
 * All requests of a client go over one connection, in frames, which are written under a fair lock: small calls by
 * eight threads, uploads, a snapshot of all subscriptions, a replay of what was not acknowledged.
 *
 * Problem: a long message is written in one piece instead of frame by frame: an upload takes 44 ms, a snapshot 28 ms,
 * a replay 20 ms. All enter by the same method. Truth: calls wait for the FrameWriter's lock, because of Upload.body
 * more than of the others. Measured: the three and the calls within all waiting for the lock.
 */
final class UploadsHoldTheFrameLock {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final Truth.Diary CALLS = new Truth.Diary();

    static final class Wire {
        private long frames;

        void frame(double seconds) {
            Truth.sleep(seconds);
            frames++;
        }
    }

    interface Message {
        void body(Wire wire);
    }

    record Upload(int kilobytes) implements Message {
        @Override
        public void body(Wire wire) {
            for (int sent = 0; sent < kilobytes; sent += 16) {
                wire.frame(0.004);
            }
        }
    }

    record Snapshot(List<String> subscriptions) implements Message {
        @Override
        public void body(Wire wire) {
            subscriptions.forEach(name -> wire.frame(0.004));
        }
    }

    record Replay(long from, long to) implements Message {
        @Override
        public void body(Wire wire) {
            LongStream.range(from, to).forEach(number -> wire.frame(0.004));
        }
    }

    record SmallCall(String what) implements Message {
        @Override
        public void body(Wire wire) {
            wire.frame(0.0005);
        }
    }

    static final List<Class<?>> KINDS = List.of(Upload.class, Snapshot.class, Replay.class, SmallCall.class);

    static final class FrameWriter {
        private final ReentrantLock lock = new ReentrantLock(true);
        private final Wire wire = new Wire();

        void write(Message message) {
            long from = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            int kind = KINDS.indexOf(message.getClass());
            if (kind == 3) {
                CALLS.waited(from, got);
            }
            try {
                message.body(wire);
            } finally {
                long to = System.nanoTime();
                DIARY.held(kind, got, to);
                CALLS.held(kind, got, to);
                lock.unlock();
            }
        }
    }

    record Channel(FrameWriter writer) {
        void send(Message message) {
            writer.write(message);
        }
    }

    static void sender(String name, Channel channel, Message message, long pauseMillis) {
        Truth.repeat(name, () -> {
            channel.send(message);
            Thread.sleep(pauseMillis);
        });
    }

    public static void main(String[] arguments) {
        Channel channel = new Channel(new FrameWriter());
        for (int i = 1; i <= 8; i++) {
            sender("call-" + i, channel, new SmallCall("call"), 15);
        }
        sender("uploader", channel, new Upload(11 * 16), 50);
        sender("snapshots", channel, new Snapshot(List.of("a", "b", "c", "d", "e", "f", "g")), 50);
        sender("replayer", channel, new Replay(100, 105), 50);
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("within the waiting of calls %.3f; others %.3f %.3f %.3f%n", CALLS.share(0), DIARY.share(1),
            DIARY.share(2), DIARY.share(3));
        Truth.of("uploads are written in one piece on the connection that all calls share")
            .object("ReentrantLock", "FairSync", "FrameWriter").culprit("Upload.body").thread("uploader")
            .victims("call-*").share(DIARY.share(0), "the waiting for the writer's lock").say();
    }
}
