import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Forty callers, virtual threads where there are such, need a token for each call to a partner. A token
 * lives for 400 ms; who finds it too old fetches another (100 to 170 ms), under the lock.
 *
 * Problem: TokenSource.refresh fetches under the lock that all need, instead of ahead of time. Truth:
 * callers wait for the lock because of it. Measured: who has the lock and does what, against the
 * callers' waiting for it.
 */
final class TokenRefreshUnderLock {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class TokenSource {
        private final ReentrantLock lock = new ReentrantLock();
        private final Random random = new Random(12);
        private long until;

        long token() {
            long asked = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            try {
                if (got > until) {
                    refresh();
                    DIARY.held(0, got, System.nanoTime());
                }
                return until;
            } finally {
                lock.unlock();
                if (got - asked > 20_000) {
                    DIARY.waited(asked, got);
                }
            }
        }

        private void refresh() {
            Truth.sleep(0.1 + random.nextDouble() * 0.07);
            until = System.nanoTime() + 400_000_000L;
        }
    }

    public static void main(String[] arguments) {
        TokenSource tokens = new TokenSource();
        for (int i = 1; i <= 40; i++) {
            Random random = new Random(i);
            start("caller-" + i, () -> {
                Truth.sleep(0.01 + random.nextDouble() * 0.02);
                tokens.token();
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a new token is fetched while the lock is held that every call needs")
            .object("ReentrantLock", "NonfairSync", "TokenSource")
            .culprit("TokenSource.refresh", "TokenSource.token")
            .thread("caller-*").victims("caller-*")
            .share(DIARY.share(0), "the callers' waiting for the lock").say();
    }

    /** A virtual thread where there are such, else a daemon. */
    private static void start(String name, Runnable turn) {
        Runnable work = () -> {
            while (true) {
                turn.run();
            }
        };
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class).invoke(builder, name);
            type.getMethod("start", Runnable.class).invoke(builder, work);
        } catch (ReflectiveOperationException exception) {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
        }
    }
}
