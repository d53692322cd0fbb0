import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * One scheduler thread reads twelve sensors, each every 100 ms, and averages them every second;
 * each of these tasks is over in a millisecond and on time. Two displays ask for the next reading
 * of a sensor now and then and get it within the 100 ms that it takes by design.
 *
 * Problem: none; timers are on time. Truth: healthy. Measured: nothing.
 */
final class SensorPolling {
    private final ConcurrentMap<Integer, CompletableFuture<Double>> next =
        new ConcurrentHashMap<>();
    private final ScheduledExecutorService polls = Executors.newScheduledThreadPool(1, work -> {
        Thread thread = new Thread(work, "poll-1");
        thread.setDaemon(true);
        return thread;
    });
    private volatile double average;

    public static void main(String[] arguments) {
        SensorPolling polling = new SensorPolling();
        polling.begin(12);
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(i);
            Thread display = new Thread(() -> polling.show(random), "display-" + i);
            display.setDaemon(true);
            display.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("the scheduler's tasks are short and on time, and displays wait for the next "
            + "reading by design")
            .object().culprit().thread().victims().noShare().say();
    }

    private void begin(int sensors) {
        for (int i = 0; i < sensors; i++) {
            int sensor = i;
            polls.scheduleAtFixedRate(() -> poll(sensor), 8 * i, 100, TimeUnit.MILLISECONDS);
        }
        polls.scheduleAtFixedRate(this::summarise, 1, 1, TimeUnit.SECONDS);
    }

    private void poll(int sensor) {
        Truth.sleep(0.0005);
        CompletableFuture<Double> asked = next.remove(sensor);
        if (asked != null) {
            asked.complete(20.0 + sensor);
        }
    }

    private void summarise() {
        average = next.size() / 12.0;
    }

    private void show(Random random) {
        while (average >= 0) {
            Truth.sleep(0.4 + random.nextDouble() * 0.5);
            read(random.nextInt(12));
        }
    }

    private double read(int sensor) {
        return next.computeIfAbsent(sensor, key -> new CompletableFuture<>()).join();
    }
}
