import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The healthy twin of the full queues: four producers with bursts, one consumer that is faster
 * than all of them. The queue of 32 is rarely full, and then for some milliseconds; the consumer
 * idles between.
 *
 * Truth: nothing to be found.
 */
class FastConsumerHealthy implements Runnable {
    private static final BlockingQueue<String> events = new ArrayBlockingQueue<>(32);
    private static long lines;
    private final Random random;

    private FastConsumerHealthy(int seed) {
        random = new Random(seed);
    }

    @Override
    public void run() {
        try {
            while (true) {
                burst(1 + random.nextInt(12));
                Thread.sleep(30 + random.nextInt(60));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void burst(int size) throws InterruptedException {
        for (int i = 0; i < size; i++) {
            events.put("event " + i);
        }
    }

    private static void consume() {
        try {
            while (true) {
                index(events.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void index(String event) throws InterruptedException {
        lines += event.lines().count();
        if (lines % 8 == 0) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) {
        ThreadGroup all = new ThreadGroup("events");
        for (int i = 1; i <= 4; i++) {
            new Thread(all, new FastConsumerHealthy(i), "producer-" + i).start();
        }
        new Thread(all, FastConsumerHealthy::consume, "event-indexer").start();
        Truth.sleep(Truth.seconds(args));
        all.interrupt();
        Truth.healthy("the consumer is faster than its producers and idle most of the time")
            .object().culprit().thread().victims().noShare().say();
    }
}
