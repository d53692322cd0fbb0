import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Four customers have a voucher issued by Quartz, whose scheduler has two threads, and wait for a latch; issuing takes
 * 3 ms.
 *
 * NEEDS: libquartz2-java libslf4j-java (quartz2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: a catalogue is indexed again every 160 ms, by two jobs, ReindexJob.rebuild, 110 ms each. Truth: customers
 * wait for their CountDownLatch because of ReindexJob.rebuild. Measured: indexing and issuing within the customers'
 * waiting, evenly divided.
 */
public final class ReindexTakesTheSchedulersThreads {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final Map<Integer, CountDownLatch> LATCHES = new ConcurrentHashMap<>();
    static final AtomicInteger NUMBERS = new AtomicInteger();

    public static final class ReindexJob implements Job {
        private void rebuild() {
            long from = System.nanoTime();
            Truth.sleep(0.11);
            DIARY.held(0, from, System.nanoTime());
        }

        @Override
        public void execute(JobExecutionContext context) {
            rebuild();
        }
    }

    public static final class VoucherJob implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            LATCHES.remove(context.getMergedJobDataMap().getInt("number")).countDown();
        }
    }

    record Customer(Scheduler scheduler) implements Truth.Step {
        private void order() throws Exception {
            int number = NUMBERS.incrementAndGet();
            CountDownLatch issued = new CountDownLatch(1);
            LATCHES.put(number, issued);
            scheduler.triggerJob(new JobKey("voucher"), new JobDataMap(Map.of("number", number)));
            long from = System.nanoTime();
            issued.await();
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() throws Exception {
            order();
            Thread.sleep(30);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.setProperty("org.quartz.threadPool.threadCount", "2");
        properties.setProperty("org.quartz.threadPool.makeThreadsDaemons", "true");
        properties.setProperty("org.quartz.scheduler.makeSchedulerThreadDaemon", "true");
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        JobDetail voucher = JobBuilder.newJob(VoucherJob.class).withIdentity("voucher").storeDurably().build();
        scheduler.addJob(voucher, true);
        for (int i = 1; i <= 2; i++) {
            scheduler.scheduleJob(JobBuilder.newJob(ReindexJob.class).withIdentity("reindex-" + i).build(),
                TriggerBuilder.newTrigger().withIdentity("every-" + i).startNow()
                    .withSchedule(SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(160)
                        .repeatForever()).build());
        }
        scheduler.start();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("customer-" + i, new Customer(scheduler));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("issuing %.3f%n", DIARY.share(1));
        Truth.of("indexing takes both threads of the scheduler").object("CountDownLatch", "Sync")
            .culprit("ReindexJob.rebuild", "ReindexJob.execute").thread("QuartzScheduler_Worker-*")
            .victims("customer-*").share(DIARY.share(0), "the customers' waiting for a voucher").say();
        System.exit(0);
    }
}
