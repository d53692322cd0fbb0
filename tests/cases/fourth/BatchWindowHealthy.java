import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Twelve sensors store a value each 200 to 400 ms and want it to be safe before they go on. The writer
 * collects whatever comes within 8 ms of the first value, and writes it in 2 ms.
 *
 * Problem: none; 10 ms of each 300 are the window that was chosen, and a fortieth of it is writing.
 * Truth: healthy. Measured: nothing.
 */
final class BatchWindowHealthy {
    static final class Value {
        final CompletableFuture<Void> safe = new CompletableFuture<>();
    }

    static final class Writer {
        private final LinkedBlockingQueue<Value> values = new LinkedBlockingQueue<>();

        void batch() {
            try {
                List<Value> batch = new ArrayList<>();
                batch.add(values.take());
                long end = System.nanoTime() + 8_000_000;
                for (Value value = next(end); value != null; value = next(end)) {
                    batch.add(value);
                }
                Truth.sleep(0.002);
                batch.forEach(value -> value.safe.complete(null));
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private Value next(long end) throws InterruptedException {
            return values.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    public static void main(String[] arguments) {
        Writer writer = new Writer();
        Truth.repeat("value-writer", writer::batch);
        for (int i = 1; i <= 12; i++) {
            Random random = new Random(i);
            Truth.repeat("sensor-" + i, () -> {
                Truth.sleep(0.2 + random.nextDouble() * 0.2);
                Value value = new Value();
                writer.values.add(value);
                value.safe.join();
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("values wait for a window of 8 ms, some 3 % of the sensors' time")
            .object().culprit().thread().victims().noShare().say();
    }
}
