import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.threads.EnhancedQueueExecutor;
import org.jboss.threads.JBossThreadFactory;

/**
 * A pool of JBoss Threads, of six threads, which answers the enquiries of three desks and writes a summary each half
 * second.
 *
 * NEEDS: libjboss-threads-java libjboss-logging-java libwildfly-common-java (jboss-threads.jar jboss-logging.jar
 * wildfly-common.jar)
 *
 * Problem: none; an enquiry takes 2 ms, and a desk has one each 100 ms. Truth: healthy. Measured: how long enquiries
 * took, in the mean.
 */
final class EnquiriesInJBossPoolHealthy {
    static final AtomicInteger ANSWERED = new AtomicInteger(), SUMMARIES = new AtomicInteger();

    static final class Enquiries {
        private final EnhancedQueueExecutor pool =
            new EnhancedQueueExecutor.Builder().setCorePoolSize(6).setMaximumPoolSize(6)
                .setKeepAliveTime(Duration.ofSeconds(30))
                .setThreadFactory(new JBossThreadFactory(null, true, null, "enquiry-%t", null, null)).build();

        Enquiries() {
            pool.scheduleAtFixedRate(SUMMARIES::incrementAndGet, 500, 500, TimeUnit.MILLISECONDS);
        }

        CompletableFuture<Integer> ask(int article) {
            return CompletableFuture.supplyAsync(() -> answer(article), pool);
        }

        private int answer(int article) {
            Truth.sleep(0.002);
            ANSWERED.incrementAndGet();
            return article * 3;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Enquiries enquiries = new Enquiries();
        Truth.Diary diary = new Truth.Diary();
        for (int i = 1; i <= 3; i++) {
            int article = i;
            Truth.repeat("desk-" + i, () -> {
                long from = System.nanoTime();
                enquiries.ask(article).join();
                diary.waited(from, System.nanoTime());
                Thread.sleep(100);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d answered in %.2f ms, %d summaries%n", ANSWERED.get(),
                          1000 * diary.waitedSeconds() / ANSWERED.get(), SUMMARIES.get());
        Truth.healthy("a pool with more threads than work").say();
        Runtime.getRuntime().halt(0);
    }
}
