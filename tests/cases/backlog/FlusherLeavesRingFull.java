import java.util.ArrayList;
import java.util.Collection;
import java.util.Random;

/**
 * Sensors put samples into a ring of 128, written by hand with a monitor. One flusher drains up
 * to 40 of them at a time and sends them away.
 *
 * Problem: MetricsFlusher.flush needs 150 to 220 ms for a batch, the five sensors together bring
 * 40 samples in 30 ms. So the ring is full and the sensors wait in its put.
 *
 * Truth: the ring's monitor, the flush. Measured: whether the flusher flushes or drains, and how
 * long sensors wait in put.
 */
class FlusherLeavesRingFull {
    private static final class SampleRing<T> {
        private final Object[] slots;
        private int head, size;

        SampleRing(int capacity) {
            slots = new Object[capacity];
        }

        synchronized void put(T sample) throws InterruptedException {
            while (isFull()) {
                wait();
            }
            slots[(head + size) % slots.length] = sample;
            size++;
            notifyAll();
        }

        synchronized int drain(Collection<? super T> into, int most) throws InterruptedException {
            while (size == 0) {
                wait();
            }
            int count = Math.min(most, size);
            for (int i = 0; i < count; i++) {
                @SuppressWarnings("unchecked")
                T sample = (T) slots[head];
                into.add(sample);
                slots[head] = null;
                head = (head + 1) % slots.length;
                size--;
            }
            notifyAll();
            return count;
        }

        private boolean isFull() {
            return size == slots.length;
        }
    }

    private final SampleRing<Double> ring = new SampleRing<>(128);
    private final Truth.Diary diary = new Truth.Diary();

    private void sense(Random random) throws InterruptedException {
        while (true) {
            record(random.nextGaussian());
            Thread.sleep(2 + random.nextInt(4));
        }
    }

    private void record(double value) throws InterruptedException {
        long asked = System.nanoTime();
        ring.put(value);
        diary.waited(asked, System.nanoTime());
    }

    private void flushForever() throws InterruptedException {
        MetricsFlusher flusher = new MetricsFlusher();
        while (true) {
            long from = System.nanoTime();
            Collection<Double> batch = new ArrayList<>();
            ring.drain(batch, 40);
            long drained = System.nanoTime();
            flusher.flush(batch);
            diary.held(1, from, drained);
            diary.held(0, drained, System.nanoTime());
        }
    }

    interface Task {
        void run() throws InterruptedException;
    }

    private static void background(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) {
        FlusherLeavesRingFull metrics = new FlusherLeavesRingFull();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            background("sensor-" + i, () -> metrics.sense(random));
        }
        background("metrics-flusher", metrics::flushForever);
        background("idle-uplink",
            () -> new java.util.concurrent.SynchronousQueue<Integer>().take());
        Truth.sleep(Truth.seconds(args));
        Truth.of("MetricsFlusher.flush needs 200 ms for what the sensors bring in 30 ms; the "
                + "ring is full and sensors wait to put")
            .object("SampleRing", "FlusherLeavesRingFull$SampleRing")
            .culprit("MetricsFlusher.flush", "MetricsFlusher.send",
                "FlusherLeavesRingFull.flushForever")
            .thread("metrics-flusher")
            .victims("sensor-*")
            .share(metrics.diary.share(0), "the sensors' waiting for room in the ring")
            .say();
    }
}

class MetricsFlusher {
    private final Random network = new Random(2);

    void flush(Collection<Double> batch) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        batch.forEach(value -> text.append(value).append('\n'));
        send(text);
    }

    private void send(CharSequence text) throws InterruptedException {
        Thread.sleep(text.length() > 0 ? 150 + network.nextInt(70) : 1);
    }
}
