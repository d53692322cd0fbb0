import java.util.Date;
import java.util.Properties;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.calendar.BaseCalendar;

/**
 * Quartz settles accounts every 150 ms, on business days only. Four desks look each 12 ms whether the job of their
 * region exists, which Quartz's RAMJobStore answers under the same monitor under which it fires triggers.
 *
 * NEEDS: libquartz2-java libslf4j-java (quartz2.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: HolidayCalendar.isTimeIncluded asks a service for 60 ms at each call, and the store calls it while it holds
 * its monitor. Truth: desks wait for the monitor of RAMJobStore's lock, an Object, because of
 * HolidayCalendar.isTimeIncluded or HolidayService.isHoliday. Measured: the part of the desks' time in checkExists
 * during which the service is asked; what takes less than 1 ms is no waiting.
 */
final class HolidaysAskedWithinJobStore {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class HolidayService {
        static boolean isHoliday(long when) {
            Truth.sleep(0.06);
            return when % 86_400_000L < 0;
        }
    }

    public static final class HolidayCalendar extends BaseCalendar {
        private static final long serialVersionUID = 1;

        @Override
        public boolean isTimeIncluded(long when) {
            long from = System.nanoTime();
            boolean included = !HolidayService.isHoliday(when);
            DIARY.held(0, from, System.nanoTime());
            return included && super.isTimeIncluded(when);
        }
    }

    public static final class Settlement implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Truth.sleep(0.002);
        }
    }

    record Desk(Scheduler scheduler, JobKey region) {
        void look() throws Exception {
            long from = System.nanoTime();
            scheduler.checkExists(region);
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Thread.sleep(12);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Properties properties = new Properties();
        properties.setProperty("org.quartz.scheduler.instanceName", "settlements");
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.setProperty("org.quartz.threadPool.threadCount", "3");
        properties.setProperty("org.quartz.threadPool.makeThreadsDaemons", "true");
        properties.setProperty("org.quartz.scheduler.makeSchedulerThreadDaemon", "true");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        scheduler.addCalendar("business days", new HolidayCalendar(), false, false);
        JobDetail job = JobBuilder.newJob(Settlement.class).withIdentity("settle", "north").build();
        scheduler.scheduleJob(job, TriggerBuilder.newTrigger().startAt(new Date()).modifiedByCalendar("business days")
            .withSchedule(SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(150).repeatForever())
            .build());
        scheduler.start();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("desk-" + i, new Desk(scheduler, new JobKey("settle", i % 2 == 0 ? "north" : "south"))::look);
        }
        DIARY.fill(seconds);
        Truth.of("a calendar asks a service while the job store is locked").object("Object")
            .culprit("HolidayCalendar.isTimeIncluded", "HolidayService.isHoliday")
            .thread("settlements_QuartzSchedulerThread").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for the job store").say();
        System.exit(0);
    }
}
