import io.netty.util.HashedWheelTimer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Six callers pause for 15 ms between two tries of a partner, by a future that Netty's HashedWheelTimer completes.
 *
 * NEEDS: libnetty-java (netty-common.jar)
 *
 * Problem: LedgerCheck.run, which is a task of the same timer, every 60 ms, takes 80 ms on the timer's only thread;
 * the callers' pauses are that much longer. Truth: callers wait for the CompletableFuture because of LedgerCheck.run.
 * Measured: when the check runs, within the callers' pauses.
 */
final class LedgerCheckedOnTheWheel {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class LedgerCheck {
        private final HashedWheelTimer timer;
        private int checked;

        LedgerCheck(HashedWheelTimer timer) {
            this.timer = timer;
        }

        void schedule() {
            timer.newTimeout(timeout -> run(), 60, TimeUnit.MILLISECONDS);
        }

        private void run() {
            long from = System.nanoTime();
            Truth.sleep(0.08);
            checked++;
            DIARY.held(0, from, System.nanoTime());
            schedule();
        }
    }

    static final class Partner {
        private final HashedWheelTimer timer;
        private int tries;

        Partner(HashedWheelTimer timer) {
            this.timer = timer;
        }

        void tryOnce() throws InterruptedException {
            tries++;
            Thread.sleep(2);
            long from = System.nanoTime();
            pause().join();
            DIARY.waited(from, System.nanoTime());
        }

        private CompletableFuture<Void> pause() {
            CompletableFuture<Void> over = new CompletableFuture<>();
            timer.newTimeout(timeout -> over.complete(null), 15, TimeUnit.MILLISECONDS);
            return over;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        HashedWheelTimer timer = new HashedWheelTimer(work -> new Thread(work, "wheel"), 5, TimeUnit.MILLISECONDS);
        new LedgerCheck(timer).schedule();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("caller-" + i, new Partner(timer)::tryOnce);
        }
        DIARY.fill(seconds);
        Truth.of("a check runs on the timer that ends the callers' pauses").object("CompletableFuture")
            .culprit("LedgerCheck.run").thread("wheel").victims("caller-*")
            .share(DIARY.share(0), "the callers' pauses").say();
        System.exit(0);
    }
}
