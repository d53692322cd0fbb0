import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Four desks have quotes made by a Quartz scheduler with four workers: each triggers the job and waits for its quote.
 *
 * NEEDS: libquartz2-java libslf4j-java (quartz2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: the same scheduler has four Statement jobs, which start together each 600 ms and take 400 ms, so that no
 * worker is left for quotes, which take 3 ms. Truth: desks wait for their CompletableFuture because of
 * Statement.execute (Statement.print). Measured: the part of the running jobs that are statements, within the desks'
 * waiting.
 */
public final class StatementsTakeQuartzWorkers {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static final class Quote implements Job {
        @Override
        @SuppressWarnings("unchecked")
        public void execute(JobExecutionContext context) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            ((CompletableFuture<Integer>) context.getMergedJobDataMap().get("quote")).complete(12);
        }
    }

    public static final class Statement implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            long from = System.nanoTime();
            for (int page = 0; page < 10; page++) {
                print();
            }
            DIARY.held(0, from, System.nanoTime());
        }

        private void print() {
            Truth.sleep(0.04);
        }
    }

    record Desk(Scheduler scheduler) {
        int quote() throws SchedulerException {
            CompletableFuture<Integer> quote = new CompletableFuture<>();
            JobDataMap data = new JobDataMap();
            data.put("quote", quote);
            scheduler.triggerJob(JobKey.jobKey("quote"), data);
            long from = System.nanoTime();
            int price = quote.join();
            DIARY.waited(from, System.nanoTime());
            return price;
        }
    }

    public static void main(String[] arguments) throws SchedulerException {
        double seconds = Truth.seconds(arguments);
        System.setProperty("org.terracotta.quartz.skipUpdateCheck", "true");
        Properties properties = new Properties();
        properties.put("org.quartz.scheduler.instanceName", "office");
        properties.put("org.quartz.scheduler.skipUpdateCheck", "true");
        properties.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.put("org.quartz.threadPool.threadCount", "4");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.addJob(JobBuilder.newJob(Quote.class).withIdentity("quote").storeDurably().build(), true);
        for (int i = 1; i <= 4; i++) {
            scheduler.scheduleJob(JobBuilder.newJob(Statement.class).build(), TriggerBuilder.newTrigger()
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(600)
                    .repeatForever()).build());
        }
        scheduler.start();
        AtomicInteger quoted = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Desk desk = new Desk(scheduler);
            Truth.repeat("desk-" + i, () -> {
                desk.quote();
                quoted.incrementAndGet();
                Thread.sleep(15);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d quoted, waited %.2f s%n", quoted.get(), DIARY.waitedSeconds());
        Truth.of("statements take all workers of the scheduler that also makes quotes").object("CompletableFuture")
            .culprit("Statement.execute", "Statement.print").thread("office_Worker-*").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for quotes").say();
        Runtime.getRuntime().halt(0);
    }
}
