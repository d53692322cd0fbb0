import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Four bellhops wait for a bell, which is made for this program upon AbstractQueuedSynchronizer and counts how often it
 * was rung. Two doormen ring it when guests arrive.
 *
 * Problem: none; a guest comes each 300 ms, and is upstairs after 5. Truth: healthy. Measured: how many came.
 */
final class BellhopsAtTheirBellHealthy {
    static final AtomicInteger RUNG = new AtomicInteger(), CARRIED = new AtomicInteger();

    static final class Bell extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected int tryAcquireShared(int one) {
            while (true) {
                int rung = getState();
                if (rung == 0 || compareAndSetState(rung, rung - 1)) {
                    return rung - 1;
                }
            }
        }

        @Override
        protected boolean tryReleaseShared(int one) {
            int rung;
            do {
                rung = getState();
            } while (!compareAndSetState(rung, rung + 1));
            return true;
        }

        void listen() throws InterruptedException {
            acquireSharedInterruptibly(1);
        }

        void ring() {
            releaseShared(1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Bell bell = new Bell();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("bellhop-" + i, () -> {
                bell.listen();
                Thread.sleep(5);
                CARRIED.incrementAndGet();
            });
        }
        for (int i = 1; i <= 2; i++) {
            int pause = 550 + 100 * i;
            Truth.repeat("doorman-" + i, () -> {
                Thread.sleep(pause);
                RUNG.incrementAndGet();
                bell.ring();
            });
        }
        Truth.sleep(seconds);
        System.out.printf("rung %d times, carried %d times%n", RUNG.get(), CARRIED.get());
        Truth.healthy("bellhops wait for guests").say();
        Runtime.getRuntime().halt(0);
    }
}
