import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring's ThreadPoolTaskScheduler has two threads for five tasks, which look for news every some hundred milliseconds;
 * its ThreadPoolTaskExecutor has four threads, and two pages have something rendered by it, one after another.
 *
 * NEEDS: libspring-context-java libspring-core-java libspring-beans-java libcommons-logging-java (spring3-context.jar
 * spring3-core.jar spring3-beans.jar commons-logging.jar)
 *
 * Problem: none: tasks take a millisecond, and pages ask for 2 ms of work in 60. Truth: healthy. Measured: how often
 * tasks ran and how many pages there were.
 */
final class SpringTasksAtTheirPaceHealthy {
    static final AtomicInteger RUNS = new AtomicInteger(), PAGES = new AtomicInteger();

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setPoolSize(2);
        scheduler.setThreadNamePrefix("news-");
        scheduler.initialize();
        for (int i = 0; i < 5; i++) {
            scheduler.scheduleAtFixedRate(() -> {
                Truth.sleep(0.001);
                RUNS.incrementAndGet();
            }, 200 + 70 * i);
        }
        ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
        executor.setCorePoolSize(4);
        executor.setThreadNamePrefix("render-");
        executor.initialize();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("page-" + i, () -> {
                Future<?> rendered = executor.submit(() -> Truth.sleep(0.002));
                rendered.get();
                PAGES.incrementAndGet();
                Thread.sleep(60);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d runs, %d pages%n", RUNS.get(), PAGES.get());
        Truth.healthy("threads have little to do").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
