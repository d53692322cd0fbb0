import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Eight threads look up routes under a read lock, thousands a second; every 50 ms one route is changed under
 * the write lock, in a few microseconds.
 *
 * Problem: none: the locks are short, waits are rare and shorter still. Truth: healthy.
 */
final class RouteTableHealthy {
    static final class Routes {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> hops = new HashMap<>();

        int hop(int network) {
            lock.readLock().lock();
            try {
                return hops.getOrDefault(network, 0);
            } finally {
                lock.readLock().unlock();
            }
        }

        void change(int network, int hop) {
            lock.writeLock().lock();
            try {
                hops.put(network, hop);
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    static final class Packets {
        private final Routes routes;
        private long sum;

        Packets(Routes routes) {
            this.routes = routes;
        }

        void forward() throws InterruptedException {
            for (int i = 0; i < 20; i++) {
                sum += routes.hop(ThreadLocalRandom.current().nextInt(500));
            }
            Thread.sleep(4);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Routes routes = new Routes();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("packets-" + i, new Packets(routes)::forward);
        }
        int[] change = {0};
        Truth.repeat("peers", () -> {
            Thread.sleep(50);
            routes.change(++change[0] % 500, change[0]);
        });
        Truth.sleep(seconds);
        Truth.healthy("a table that is nearly always only read").object().culprit().thread().victims().noShare()
            .say();
    }
}
