import com.codahale.metrics.health.HealthCheck;
import com.codahale.metrics.health.HealthCheckRegistry;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three load balancers ask a service whether it is healthy; it runs its checks (of the Metrics library) on two
 * threads, and each page waits for all of them.
 *
 * NEEDS: libdropwizard-metrics-java libslf4j-java (metrics-healthchecks.jar metrics-core.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: MailHostCheck.check opens a session with the mail host for each page, 36 ms; the other three take 2 to
 * 4 ms. Truth: balancers wait for a FutureTask because of MailHostCheck.check. Measured: which checks run, evenly
 * divided, during the balancers' waiting.
 */
final class HealthPagesAwaitTheMailHost {
    static final Truth.Diary DIARY = new Truth.Diary();

    abstract static class Timed extends HealthCheck {
        private final int who;

        Timed(int who) {
            this.who = who;
        }

        final Result noted(long from) {
            DIARY.held(who, from, System.nanoTime());
            return Result.healthy();
        }
    }

    static final class DiskCheck extends Timed {
        DiskCheck() {
            super(1);
        }

        @Override
        protected Result check() {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            return noted(from);
        }
    }

    static final class QueueCheck extends Timed {
        private final double seconds;

        QueueCheck(int who, double seconds) {
            super(who);
            this.seconds = seconds;
        }

        @Override
        protected Result check() {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            return noted(from);
        }
    }

    static final class MailHostCheck extends Timed {
        MailHostCheck() {
            super(0);
        }

        @Override
        protected Result check() {
            long from = System.nanoTime();
            connect();
            return noted(from);
        }

        private void connect() {
            for (int i = 0; i < 3; i++) {
                Truth.sleep(0.012);
            }
        }
    }

    public static void main(String[] arguments) {
        HealthCheckRegistry checks = new HealthCheckRegistry();
        checks.register("disk", new DiskCheck());
        checks.register("inbox", new QueueCheck(2, 0.003));
        checks.register("mail", new MailHostCheck());
        checks.register("outbox", new QueueCheck(3, 0.004));
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2,
            work -> Truth.daemon("health-" + threads.incrementAndGet(), work));
        for (int i = 1; i <= 4; i++) {
            int pause = 5 + 3 * i;
            Truth.repeat("request-" + i, () -> {
                Thread.sleep(pause);
                Math.log(pause);
            });
        }
        DIARY.clients("balancer", 3, 60, () -> checks.runHealthChecks(pool));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("each health page opens a session with the mail host").object("FutureTask")
            .culprit("MailHostCheck.check", "MailHostCheck.connect").thread("health-*").victims("balancer-*")
            .share(DIARY.share(0), "the balancers' waiting for checks").say();
        Runtime.getRuntime().halt(0);
    }
}
