import java.util.Random;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Eight packet threads look up routes under a read lock, for 0.1 ms. A reload fetches the routes (90 to
 * 160 ms) and puts them in place, all under the write lock; a small correction takes 1 ms under it.
 *
 * Problem: RouteReload.reload fetches under the write lock. Truth: packets wait for the read lock
 * because of it. Measured: who has the write lock, against the packets' time to get theirs.
 */
final class RouteReloadHoldsWriteLock {
    private static final Truth.Diary DIARY = new Truth.Diary();
    private static final ReentrantReadWriteLock ROUTES = new ReentrantReadWriteLock();

    static final class RouteReload {
        static void reload(Random random) {
            write(0, 0.09 + random.nextDouble() * 0.07);
        }
    }

    static final class Correction {
        static void apply() {
            write(1, 0.001);
        }
    }

    static final class Packets {
        static void route() {
            long from = System.nanoTime();
            ROUTES.readLock().lock();
            long to = System.nanoTime();
            Truth.sleep(0.0001);
            ROUTES.readLock().unlock();
            if (to - from > 20_000) {
                DIARY.waited(from, to);
            }
        }
    }

    private static void write(int who, double seconds) {
        ROUTES.writeLock().lock();
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        ROUTES.writeLock().unlock();
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.repeat("packet-" + i, () -> {
                Truth.sleep(0.002 + random.nextDouble() * 0.003);
                Packets.route();
            });
        }
        Random random = new Random(44);
        Truth.repeat("route-reload", () -> {
            Truth.sleep(0.2);
            RouteReload.reload(random);
        });
        Truth.repeat("corrections", () -> {
            Truth.sleep(0.03);
            Correction.apply();
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("routes are fetched while the write lock is held")
            .object("ReentrantReadWriteLock", "NonfairSync")
            .culprit("RouteReload.reload")
            .thread("route-reload").victims("packet-*")
            .share(DIARY.share(0), "the packets' waiting for the read lock").say();
    }
}
