import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sixty sensors (virtual threads where the JDK has them) measure every second or so; one thread writes what they
 * say in batches: when twenty are there, or after half a second. A keeper waits for sensors that are long silent,
 * of which there are none.
 *
 * Problem: none. Nobody waits for the batch; the writer waits for what to write. Truth: healthy.
 */
final class VirtualSensorsHealthy {
    static final class Journal {
        private final LinkedBlockingQueue<Integer> values = new LinkedBlockingQueue<>(1000);
        private final AtomicLong written = new AtomicLong();

        void say(int value) {
            values.offer(value);
        }

        void writeBatch() throws InterruptedException {
            long end = System.nanoTime() + 500_000_000L;
            for (int n = 0; n < 20; n++) {
                Integer value = values.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (value == null) {
                    break;
                }
                written.addAndGet(value);
            }
        }
    }

    record Sensor(Journal journal) {
        void measure() {
            while (true) {
                Truth.sleep(0.8 + ThreadLocalRandom.current().nextInt(400) / 1000.0);
                journal.say(ThreadLocalRandom.current().nextInt(100));
            }
        }
    }

    static final class Keeper {
        private final LinkedBlockingQueue<Integer> silent = new LinkedBlockingQueue<>();

        void wake() throws InterruptedException {
            silent.take();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Journal journal = new Journal();
        for (int i = 1; i <= 60; i++) {
            Truth.virtual("sensor-" + i, new Sensor(journal)::measure);
        }
        Truth.repeat("journal", journal::writeBatch);
        Truth.repeat("keeper", new Keeper()::wake);
        Truth.sleep(seconds);
        Truth.healthy("sensors measure now and then, and a writer collects").object().culprit().thread().victims()
            .noShare().say();
    }
}
