import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A quota of calls: a scheduler adds permits twenty times a second, as many as the plan allows; callers take one each.
 *
 * Problem: a new plan is not a number; Quota.refill throws, and a scheduled task that throws is never run again. The
 * scheduler's thread is at rest, and no permit comes any more. Truth: stuck, callers wait for the Semaphore because of
 * Quota.refill.
 */
final class RefillTaskThrewOnce {
    static final class Quota {
        private final Semaphore permits = new Semaphore(0);
        private volatile String plan = "400";
        private volatile long runs;

        void refill() {
            runs += 1;
            permits.release(Integer.parseInt(plan) / 20);
        }

        void take() {
            permits.acquireUninterruptibly();
        }
    }

    static final class Caller {
        private final Quota quota;
        private int called;

        Caller(Quota quota) {
            this.quota = quota;
        }

        void run() {
            while (true) {
                quota.take();
                Truth.sleep(0.004);
                called += 1;
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Quota quota = new Quota();
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "refill");
            thread.setDaemon(true);
            return thread;
        });
        scheduler.scheduleAtFixedRate(quota::refill, 0, 50, TimeUnit.MILLISECONDS);
        List<Thread> callers = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Thread thread = new Thread(new Caller(quota)::run, "caller-" + i);
            thread.setDaemon(true);
            thread.start();
            callers.add(thread);
        }
        Truth.hangsOnce(callers);
        Truth.sayAndHalt(Truth.stuck("the task that adds permits threw once and is not run any more")
            .object("Semaphore", "NonfairSync").culprit("Quota.refill").thread("refill").victims("caller-*").noShare(),
            seconds);
        Truth.sleep(1.2);
        quota.plan = "unlimited";
        Truth.sleep(seconds - 1.4);
        System.out.println("refilled " + quota.runs + " times");
        Truth.sleep(seconds);
    }
}
