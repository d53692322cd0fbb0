import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Four slots of a graphics card, counted by a fair Semaphore. Seven threads make thumbnails of
 * uploaded pictures with one slot for 5 to 12 ms.
 *
 * Problem: GpuScheduler.calibrate takes all four slots and keeps them for 200 ms, three times a
 * second; whoever comes meanwhile waits. Calibrating needs one slot only.
 *
 * Truth: the Semaphore, the calibration. Measured: who holds slots from when to when, and the
 * waits of the thumbnail threads; several holders at an instant share it evenly.
 */
class CalibrationTakesAllPermits {
    public static void main(String[] args) throws InterruptedException {
        GpuScheduler gpu = new GpuScheduler(4);
        ExecutorService thumbnails = Executors.newCachedThreadPool(task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setName(thread.getName().replace("pool-", "thumbnails-").replace("-thread", ""));
            return thread;
        });
        for (int seed = 0; seed < 7; seed++) {
            Random random = new Random(seed);
            thumbnails.submit(() -> {
                while (true) {
                    gpu.onSlot(CalibrationTakesAllPermits::pause, 5 + random.nextInt(8));
                    TimeUnit.MILLISECONDS.sleep(10 + random.nextInt(20));
                }
            });
        }
        ExecutorService maintenance =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "gpu-maintenance"));
        maintenance.submit(() -> {
            while (true) {
                gpu.calibrate();
                TimeUnit.MILLISECONDS.sleep(130);
            }
        });
        Truth.sleep(Truth.seconds(args));
        thumbnails.shutdownNow();
        maintenance.shutdownNow();
        thumbnails.awaitTermination(1, TimeUnit.SECONDS);
        Truth.of("GpuScheduler.calibrate takes all slots of the card for 200 ms, three times a "
                + "second, and all thumbnails wait")
            .object("Semaphore")
            .culprit("GpuScheduler.calibrate", "GpuScheduler.measure")
            .thread("gpu-maintenance")
            .victims("thumbnails-*-*")
            .share(gpu.diary.share(0), "the thumbnail threads' waiting for a slot")
            .say();
    }

    static void pause(int millis) {
        Truth.sleep(millis / 1e3);
    }
}

class GpuScheduler {
    final Truth.Diary diary = new Truth.Diary();
    private final Semaphore slots;
    private final int size;

    GpuScheduler(int size) {
        this.size = size;
        this.slots = new Semaphore(size, true);
    }

    void onSlot(IntConsumer work, int picture) throws InterruptedException {
        long asked = System.nanoTime();
        slots.acquire();
        long got = System.nanoTime();
        diary.waited(asked, got);
        try {
            work.accept(picture);
        } finally {
            diary.held(1, got, System.nanoTime());
            slots.release();
        }
    }

    void calibrate() throws InterruptedException {
        slots.acquire(size);
        long got = System.nanoTime();
        try {
            measure();
        } finally {
            diary.held(0, got, System.nanoTime());
            slots.release(size);
        }
    }

    private void measure() throws InterruptedException {
        for (int temperature = 0; temperature < 8; temperature++) {
            Thread.sleep(25);
        }
    }
}
