import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three cameras; each has a thread that fills a buffer and one that encodes it, and the two exchange a full
 * buffer for an empty one, 40 times a second.
 *
 * Problem: FrameEncoder.encode fails for a frame that is all black, of which there are some in the second
 * second. The pool keeps the exception in a future that nobody asks, and the filling thread waits for its
 * partner for ever. Truth: stuck at the Exchanger. Measured: nothing else.
 */
final class EncoderLeavesItsPartner {
    static final class Frame {
        final byte[] pixels = new byte[4096];
    }

    static final class Camera implements Runnable {
        private static final long BEGIN = System.nanoTime();
        private final Exchanger<Frame> exchanger;
        private final int number;

        Camera(Exchanger<Frame> exchanger, int number) {
            this.exchanger = exchanger;
            this.number = number;
        }

        @Override
        public void run() {
            Frame frame = new Frame();
            try {
                while (true) {
                    Thread.sleep(25);
                    expose(frame);
                    frame = exchanger.exchange(frame);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void expose(Frame frame) {
            boolean night = System.nanoTime() - BEGIN > 1_400_000_000L + number * 200_000_000L;
            for (int i = 0; i < frame.pixels.length; i++) {
                frame.pixels[i] = (byte) (night ? 0 : i * number + 1);
            }
        }
    }

    static final class FrameEncoder implements Runnable {
        private final Exchanger<Frame> exchanger;
        private int bits;

        FrameEncoder(Exchanger<Frame> exchanger) {
            this.exchanger = exchanger;
        }

        @Override
        public void run() {
            Frame frame = new Frame();
            try {
                while (true) {
                    frame = exchanger.exchange(frame);
                    encode(frame);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void encode(Frame frame) {
            int sum = 0;
            for (byte pixel : frame.pixels) {
                sum += pixel & 0xff;
            }
            bits += 1_000_000 / sum;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        AtomicInteger encoders = new AtomicInteger();
        ExecutorService pool = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "encoder-" + encoders.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        List<Thread> cameras = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Exchanger<Frame> exchanger = new Exchanger<>();
            pool.submit(new FrameEncoder(exchanger));
            Thread camera = new Thread(new Camera(exchanger, i), "camera-" + i);
            camera.setDaemon(true);
            camera.start();
            cameras.add(camera);
        }
        Truth.hangsOnce(cameras);
        Truth.sayAndHalt(Truth.stuck("the partner of an exchange has failed").object("Exchanger")
            .culprit("FrameEncoder.encode", "FrameEncoder.run").thread("encoder-*").victims("camera-*")
            .noShare(), seconds);
        Thread.currentThread().join();
    }
}
