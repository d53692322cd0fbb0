import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Six lookups read a table of routes (0.2 ms) under a read lock; a refresher writes a route every 30 ms.
 *
 * Problem: two bookings hold the read lock while they ask a carrier, through a socket, who answers after 60 ms. The
 * refresher waits for them, and all lookups queue behind the refresher. Truth: lookups wait for the
 * ReentrantReadWriteLock because of Routes.book, that is, of Carrier.ask under the lock. Measured: bookings, writing
 * and reading within the lookups' waiting for the lock, evenly divided.
 */
final class RouteHeldOverCarrierCall {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Carrier(ServerSocket server) {
        void answer() throws Exception {
            try (Socket call = server.accept()) {
                Truth.sleep(0.06);
                call.getOutputStream().write(1);
            }
        }

        int ask() throws IOException {
            try (Socket call = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
                return call.getInputStream().read();
            }
        }
    }

    static final class Routes {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> routes = new TreeMap<>();

        int find(int parcel) {
            long asked = System.nanoTime();
            lock.readLock().lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                Truth.sleep(0.0002);
                return routes.getOrDefault(parcel, 0);
            } finally {
                DIARY.held(1, from, System.nanoTime());
                lock.readLock().unlock();
            }
        }

        int book(int parcel, Carrier carrier) throws IOException {
            lock.readLock().lock();
            long from = System.nanoTime();
            try {
                return routes.getOrDefault(parcel, 0) + carrier.ask();
            } finally {
                DIARY.held(0, from, System.nanoTime());
                lock.readLock().unlock();
            }
        }

        void refresh(int parcel) {
            lock.writeLock().lock();
            long from = System.nanoTime();
            try {
                routes.merge(parcel, 1, Integer::sum);
            } finally {
                DIARY.held(2, from, System.nanoTime());
                lock.writeLock().unlock();
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        Carrier carrier = new Carrier(new ServerSocket(0));
        Routes routes = new Routes();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("carrier-" + i, carrier::answer);
            Truth.repeat("booking-" + i, () -> {
                routes.book(3, carrier);
                Thread.sleep(20);
            });
        }
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("lookup-" + i, () -> {
                routes.find(5);
                Thread.sleep(5);
            });
        }
        Truth.repeat("refresher", () -> {
            routes.refresh(5);
            Thread.sleep(30);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a read lock is held over a remote call").object("ReentrantReadWriteLock", "NonfairSync")
            .culprit("Routes.book", "Carrier.ask").thread("booking-*").victims("lookup-*")
            .share(DIARY.share(0), "the lookups' waiting for the lock").say();
    }
}
