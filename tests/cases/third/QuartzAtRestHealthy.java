import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * A scheduler with ten workers for three small jobs: one 20 times a second, one five times, one once;
 * the longest takes 30 ms. The main thread is joined by nobody and waits for the end of the day.
 *
 * NEEDS: libquartz2-java libslf4j-java (quartz2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none; workers wait for jobs, and jobs start on time. Truth: healthy. Measured: nothing.
 */
public final class QuartzAtRestHealthy {
    private static final AtomicInteger RUNS = new AtomicInteger();

    public static final class Heartbeat implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            RUNS.incrementAndGet();
        }
    }

    public static final class QueueDepth implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Truth.sleep(0.005);
        }
    }

    public static final class RateImport implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Truth.sleep(0.03);
        }
    }

    public static void main(String[] arguments) throws SchedulerException {
        System.setProperty("org.terracotta.quartz.skipUpdateCheck", "true");
        Properties properties = new Properties();
        properties.put("org.quartz.scheduler.instanceName", "clockwork");
        properties.put("org.quartz.scheduler.skipUpdateCheck", "true");
        properties.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.put("org.quartz.threadPool.threadCount", "10");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        every(scheduler, Heartbeat.class, 50);
        every(scheduler, QueueDepth.class, 200);
        every(scheduler, RateImport.class, 1000);
        scheduler.start();
        Truth.sleep(Truth.seconds(arguments));
        scheduler.shutdown(false);
        Truth.healthy("ten workers wait for three small jobs, which start when they are due")
            .object().culprit().thread().victims().noShare().say();
    }

    private static void every(Scheduler scheduler, Class<? extends Job> job, int millis)
            throws SchedulerException {
        scheduler.scheduleJob(JobBuilder.newJob(job).build(), TriggerBuilder.newTrigger()
            .withSchedule(SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(millis)
                .repeatForever()).build());
    }
}
