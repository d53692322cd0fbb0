import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;

/**
 * A lighthouse at night. A timer turns the lamp ten times a second; a recorder swaps a full sheet for an empty one
 * with the archivist once a second; a Timer reminds to look at the glass; the radio's messages are gathered for 100 ms
 * and sent as one; a keeper asks three stations by threads of their own, virtual where there are any, each quarter of
 * a second, and has the answers 2 ms later; the weather is read often and written seldom; dawn is awaited all night.
 *
 * Problem: none. Whoever waits for long waits for work, or for the clock. Truth: healthy. Measured: how long the
 * keeper waited for the stations, and readers for the weather.
 */
final class LighthouseAtNightHealthy {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Weather {
        private final StampedLock lock = new StampedLock();
        private double wind = 3, swell = 1;

        void observe(double change) {
            long stamp = lock.writeLock();
            try {
                wind += change;
                swell = wind / 3;
            } finally {
                lock.unlockWrite(stamp);
            }
        }

        double force() {
            long stamp = lock.tryOptimisticRead();
            double force = wind + swell;
            if (lock.validate(stamp)) {
                return force;
            }
            long from = System.nanoTime();
            stamp = lock.readLock();
            DIARY.waited(from, System.nanoTime());
            try {
                return wind + swell;
            } finally {
                lock.unlockRead(stamp);
            }
        }
    }

    /** Gathers what comes within a tenth of a second of the first message. */
    record Radio(BlockingQueue<String> messages, List<String> air) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            StringBuilder parcel = new StringBuilder(messages.take());
            long until = System.nanoTime() + 100_000_000;
            String next;
            while ((next = messages.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS)) != null) {
                parcel.append(next);
            }
            air.set(0, parcel.toString());
        }
    }

    /** A sheet is written for a second, then swapped; who files it is at rest for as long. */
    static final class Recorder {
        private final Exchanger<Deque<Double>> desk = new Exchanger<>();

        void start(Weather weather) {
            Deque<?>[] sheet = {new ArrayDeque<Double>()};
            Truth.repeat("recorder", () -> {
                @SuppressWarnings("unchecked")
                Deque<Double> now = (Deque<Double>) sheet[0];
                for (int i = 0; i < 20; i++) {
                    now.add(weather.force());
                    Thread.sleep(50);
                }
                sheet[0] = desk.exchange(now);
            });
            Truth.start("archivist", () -> {
                Deque<Double> empty = new ArrayDeque<>();
                try {
                    while (true) {
                        empty = desk.exchange(empty);
                        empty.clear();
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
    }

    record Keeper(List<String> stations) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            CountDownLatch answers = new CountDownLatch(stations.size());
            for (String station : stations) {
                Truth.virtual("ask-" + station, () -> {
                    Truth.sleep(0.002);
                    answers.countDown();
                });
            }
            long from = System.nanoTime();
            answers.await();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(250);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Weather weather = new Weather();
        CountDownLatch dawn = new CountDownLatch(1);
        ScheduledExecutorService lamp = Executors.newScheduledThreadPool(2, work -> Truth.daemon("lamp", work));
        double[] angle = {0};
        lamp.scheduleAtFixedRate(() -> angle[0] = (angle[0] + 36) % 360, 100, 100, TimeUnit.MILLISECONDS);
        lamp.scheduleAtFixedRate(() -> weather.observe(Math.cos(angle[0])), 300, 300, TimeUnit.MILLISECONDS);
        lamp.schedule(dawn::countDown, Math.round(Truth.seconds(arguments) * 1000), TimeUnit.MILLISECONDS);
        new Recorder().start(weather);
        new Timer("reminders", true).schedule(new TimerTask() {
            @Override
            public void run() {
                weather.observe(0);
            }
        }, 1000, 1500);
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        Truth.repeat("radio", new Radio(messages, new ArrayList<>(List.of(""))));
        for (int i = 1; i <= 3; i++) {
            int pause = 70 * i;
            Truth.repeat("ship-" + i, () -> {
                messages.add("position;");
                Thread.sleep(pause);
            });
        }
        Truth.repeat("keeper", new Keeper(List.of("north", "east", "south")));
        dawn.await();
        System.out.printf("waited %.3f s in all%n", DIARY.waitedSeconds());
        Truth.healthy("whoever waits for long waits for work or for the clock").object().culprit().thread().victims()
            .noShare().say();
    }
}
