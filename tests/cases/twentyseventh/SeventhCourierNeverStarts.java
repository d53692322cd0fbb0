import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three depots send out tours: each makes a thread for every courier, up to seven, starts them, and waits for a latch
 * until all are back, 5 ms later. A watch on the weather reads on.
 *
 * Problem: after two fifths of the time there is a limit of six, and the seventh thread is made but not started; the
 * latch still counts it. Truth: stuck; depots wait for ever for a CountDownLatch in Tours.sendOut.
 */
final class SeventhCourierNeverStarts {
    static volatile int limit = 7;

    static final class Tours {
        private final AtomicInteger delivered = new AtomicInteger();

        void sendOut(int couriers) throws InterruptedException {
            CountDownLatch back = new CountDownLatch(couriers);
            List<Thread> threads = new ArrayList<>();
            for (int i = 1; i <= couriers; i++) {
                threads.add(Truth.daemon("courier-" + i, () -> {
                    Truth.sleep(0.005);
                    delivered.incrementAndGet();
                    back.countDown();
                }));
            }
            for (Thread thread : threads.subList(0, Math.min(limit, couriers))) {
                thread.start();
            }
            back.await();
        }
    }

    record Depot(Tours tours) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            tours.sendOut(7);
            Thread.sleep(60);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Thread> depots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            depots.add(Truth.repeat("depot-" + i, new Depot(new Tours())));
        }
        Truth.repeat("weather", () -> Truth.sleep(0.1));
        Truth.hangsOnce(depots);
        Truth.sayAndHalt(Truth.stuck("a thread is made and not started, which the latch counts")
            .object("CountDownLatch", "Sync").culprit("Tours.sendOut", "Depot.run").thread("depot-*")
            .victims("depot-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        limit = 6;
        Truth.sleep(seconds + 2);
    }
}
