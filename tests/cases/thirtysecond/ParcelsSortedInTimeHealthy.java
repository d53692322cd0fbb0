import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.DirectSchedulerFactory;

/**
 * Parcels come on sixteen belts, virtual threads where the JDK has them, each when its clock says so; they are
 * weighed, with one of ten scales, and put into a queue, of which the hall hands them to four sorters; Quartz
 * counts them each 300 ms.
 *
 * NEEDS: libquartz2-java libslf4j-java (quartz2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: scales and sorters are enough, and belts wait for their clock. Truth: healthy. Measured: nothing.
 */
final class ParcelsSortedInTimeHealthy {
    static final AtomicInteger SORTED = new AtomicInteger();

    public static final class Count implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Truth.sleep(SORTED.get() >= 0 ? 0.004 : 0);
        }
    }

    static void carry(Semaphore scales, BlockingQueue<Integer> parcels, int belt) {
        try {
            while (true) {
                scales.acquire();
                try {
                    Thread.sleep(2);
                } finally {
                    scales.release();
                }
                parcels.put(belt);
                Thread.sleep(40 + belt);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        DirectSchedulerFactory factory = DirectSchedulerFactory.getInstance();
        factory.createVolatileScheduler(2);
        Scheduler scheduler = factory.getScheduler();
        scheduler.scheduleJob(JobBuilder.newJob(Count.class).build(), TriggerBuilder.newTrigger()
            .withSchedule(SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(300).repeatForever()).build());
        scheduler.start();
        Semaphore scales = new Semaphore(10);
        LinkedBlockingQueue<Integer> parcels = new LinkedBlockingQueue<>(200);
        AtomicInteger threads = new AtomicInteger();
        ExecutorService sorters =
            Executors.newFixedThreadPool(4, work -> Truth.daemon("sorter-" + threads.incrementAndGet(), work));
        Truth.repeat("hall", () -> {
            Integer parcel = parcels.poll(1, TimeUnit.SECONDS);
            if (parcel != null) {
                sorters.execute(() -> {
                    Truth.sleep(0.003);
                    SORTED.addAndGet(parcel);
                });
            }
        });
        for (int i = 1; i <= 16; i++) {
            int belt = i;
            Truth.virtual("belt-" + i, () -> carry(scales, parcels, belt));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("scales and sorters are enough").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
