import java.util.zip.CRC32;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * A shop starts a thread for each task with Spring's SimpleAsyncTaskExecutor, which lets three run at a time: who wants
 * to start another waits in its monitor. Six fronts send receipts, 3 ms each.
 *
 * NEEDS: libspring-core-java libcommons-logging-java (spring3-core.jar commons-logging.jar)
 *
 * Problem: a planner starts exports, every 90 ms one, on the same executor, and PartnerExport.run waits for a partner
 * for 200 ms. Truth: fronts wait for the executor's monitor, an Object, because of PartnerExport.run. Measured: which
 * tasks run, evenly shared, against the fronts' time in execute.
 */
final class ExportsFillTheThrottle {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int EXPORT = 0, RECEIPT = 1;

    record PartnerExport(int number) implements Runnable {
        @Override
        public void run() {
            long from = System.nanoTime();
            CRC32 sum = new CRC32();
            for (int part = 0; part < 10; part++) {
                sum.update(number + part);
                Truth.sleep(0.02);
            }
            DIARY.held(EXPORT, from, System.nanoTime());
        }
    }

    static final class Receipt implements Runnable {
        @Override
        public void run() {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(RECEIPT, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("task-");
        executor.setDaemon(true);
        executor.setConcurrencyLimit(3);
        int[] exports = {0};
        Truth.repeat("planner", () -> {
            executor.execute(new PartnerExport(exports[0]++));
            Thread.sleep(90);
        });
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("front-" + i, () -> {
                long from = System.nanoTime();
                executor.execute(new Receipt());
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(10);
            });
        }
        DIARY.fill(seconds);
        Truth.of("exports occupy the executor that receipts are sent with")
            .object("Object", "ConcurrencyThrottleAdapter", "ConcurrencyThrottleSupport")
            .culprit("PartnerExport.run").thread("task-*").victims("front-*")
            .share(DIARY.share(EXPORT), "the fronts' time in execute").say();
        System.exit(0);
    }
}
