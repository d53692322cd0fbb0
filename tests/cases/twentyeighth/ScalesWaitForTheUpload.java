import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Four counters weigh parcels: the scales are read by a scheduler with one thread, 2 ms, as the device is slow to
 * settle 10 ms after it is asked (schedule, and get).
 *
 * Problem: the same scheduler uploads the day's photographs every 160 ms, Photos.upload, 90 ms. Truth: counters wait for
 * a ScheduledFutureTask because of Photos.upload. Measured: uploading and reading within the counters' waiting.
 */
final class ScalesWaitForTheUpload {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Photos {
        void upload() {
            long from = System.nanoTime();
            Truth.sleep(0.09);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Scales {
        int read() {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
            return 1250;
        }
    }

    record Counter(ScheduledExecutorService scheduler, Scales scales) implements Truth.Step {
        private int weigh() throws Exception {
            return scheduler.schedule(scales::read, 10, TimeUnit.MILLISECONDS).get();
        }

        @Override
        public void run() throws Exception {
            long from = System.nanoTime();
            weigh();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(30);
        }
    }

    public static void main(String[] arguments) {
        ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(work -> Truth.daemon("devices", work));
        scheduler.scheduleAtFixedRate(new Photos()::upload, 20, 160, TimeUnit.MILLISECONDS);
        Scales scales = new Scales();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("counter-" + i, new Counter(scheduler, scales));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("reading %.3f%n", DIARY.share(1));
        Truth.of("the only thread for devices uploads photographs").object("ScheduledFutureTask", "FutureTask")
            .culprit("Photos.upload").thread("devices").victims("counter-*")
            .share(DIARY.share(0), "the counters' waiting for the scales").say();
    }
}
