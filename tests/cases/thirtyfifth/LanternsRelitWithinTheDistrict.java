import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A town has three districts with a ReentrantReadWriteLock each. Twenty walks read where light is, on
 * a virtual thread each where the JDK has them; a counter of lamps writes (1 ms).
 *
 * Problem: a relay that relights a district answers at the fourth try only, and the retry helper
 * sleeps between the tries (Retry.pause, 5 ms), with the write lock. Truth: walks wait for the read
 * lock because of Retry.pause (called by District.relight). Measured: the part of the walks' waiting,
 * per district, during which it is relit.
 */
final class LanternsRelitWithinTheDistrict {
    static final class Retry {
        private final int times;

        Retry(int times) {
            this.times = times;
        }

        <T> T call(Callable<T> work) throws Exception {
            for (int turn = 1; turn < times; turn++) {
                T answer = work.call();
                if (answer != null) {
                    return answer;
                }
                pause(turn);
            }
            return work.call();
        }

        private static void pause(int turn) {
            Truth.sleep(0.005 + turn * 1e-5);
        }
    }

    static final class Relay {
        private int tries;

        Integer send(int lamp) {
            Truth.sleep(0.0005);
            return ++tries % 4 == 0 ? lamp : null;
        }
    }

    static final class District {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final Relay relay = new Relay();
        private final Truth.Diary diary = new Truth.Diary();
        private int light;

        void relight(Retry retry) throws Exception {
            lock.writeLock().lock();
            long from = System.nanoTime();
            try {
                light += retry.call(() -> relay.send(3));
            } finally {
                diary.held(0, from, System.nanoTime());
                lock.writeLock().unlock();
            }
        }

        void count() {
            lock.writeLock().lock();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.001);
                light++;
            } finally {
                diary.held(1, from, System.nanoTime());
                lock.writeLock().unlock();
            }
        }

        int look() {
            long from = System.nanoTime();
            lock.readLock().lock();
            try {
                diary.waited(from, System.nanoTime());
                return light;
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        District[] town = {new District(), new District(), new District()};
        Retry retry = new Retry(5);
        for (int i = 1; i <= 20; i++) {
            Random random = new Random(i);
            Truth.virtual("walk-" + i, () -> {
                while (true) {
                    town[random.nextInt(3)].look();
                    Truth.sleep(0.003 + 0.004 * random.nextDouble());
                }
            });
        }
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(50 + i);
            Truth.repeat("lamplighter-" + i, () -> {
                town[random.nextInt(3)].relight(retry);
                Thread.sleep(18);
            });
            Truth.repeat("lamp-counter-" + i, () -> {
                town[random.nextInt(3)].count();
                Thread.sleep(12);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        double waited = 0, relit = 0;
        for (District district : town) {
            waited += district.diary.waitedSeconds();
            relit += district.diary.waitedSeconds() * district.diary.share(0);
        }
        System.out.printf("waited %.2f s in all%n", waited);
        Truth.of("a retry sleeps between its tries with the write lock")
            .object("ReentrantReadWriteLock", "NonfairSync", "ReadLock")
            .culprit("Retry.pause", "Retry.call", "District.relight").thread("lamplighter-*").victims("walk-*")
            .share(relit / waited, "the walks' waiting for a district").say();
        Runtime.getRuntime().halt(0);
    }
}
