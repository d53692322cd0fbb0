import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Random;

/**
 * Five session threads have their counters kept by a single event executor (50 µs each) and wait for
 * the answer. Every third of a second somebody has the executor copy all counters, for 150 to 200 ms.
 *
 * NEEDS: libnetty-java (netty-common.jar)
 *
 * Problem: CounterBackup.copy runs on the executor that sessions wait for. Truth: sessions wait for
 * promises because of it. Measured: what runs on the executor, against the sessions' waiting.
 */
final class BackupOnSharedExecutor {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class CounterBackup {
        static void copy(Random random) {
            long from = System.nanoTime();
            Truth.sleep(0.15 + random.nextDouble() * 0.05);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Counter {
        static void add() {
            long from = System.nanoTime();
            while (System.nanoTime() - from < 50_000) {
                Thread.onSpinWait();
            }
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        DefaultEventExecutor counters = new DefaultEventExecutor(
            new DefaultThreadFactory("counters", true));
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Truth.repeat("session-" + i, () -> {
                Truth.sleep(0.005 + random.nextDouble() * 0.01);
                long from = System.nanoTime();
                counters.submit(Counter::add).awaitUninterruptibly();
                DIARY.waited(from, System.nanoTime());
            });
        }
        Random random = new Random(70);
        Truth.repeat("backup-clock", () -> {
            Truth.sleep(0.33);
            counters.execute(() -> CounterBackup.copy(random));
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a backup runs on the one executor whose answers all sessions wait for")
            .object("PromiseTask", "DefaultPromise", "RunnableAdapter")
            .culprit("CounterBackup.copy")
            .thread("counters-*").victims("session-*")
            .share(DIARY.share(0), "the sessions' waiting for answers").say();
        System.exit(0);
    }
}
