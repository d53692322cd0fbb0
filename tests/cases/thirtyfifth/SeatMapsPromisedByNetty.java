import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A theatre answers on one of Netty's event executors: six kiosks submit a question for free seats,
 * and sync() on the promise. The answer takes 1 ms of a processor with the seat map's lock.
 *
 * NEEDS: libnetty-java (netty-common.jar)
 *
 * Problem: a reconciler has that lock while it compares with the box office, BoxOffice.compare, 14 ms,
 * each 30 ms; so the executor waits for the lock, and everybody for the executor. Truth: kiosks wait
 * for their promise because of BoxOffice.compare. Measured: the part of the kiosks' waiting during
 * which the executor waits for the lock.
 */
final class SeatMapsPromisedByNetty {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class BoxOffice {
        private int differences;

        void compare(int[] seats) {
            for (int row = 0; row < 7; row++) {
                Truth.sleep(0.002);
                differences += seats[row];
            }
        }
    }

    static final class SeatMap {
        private final ReentrantLock lock = new ReentrantLock();
        private final int[] seats = new int[500];

        int free() {
            long asked = System.nanoTime();
            lock.lock();
            long from = System.nanoTime();
            DIARY.held(0, asked, from);
            try {
                int free = 0;
                while (System.nanoTime() - from < 1_000_000) {
                    for (int seat : seats) {
                        free += seat == 0 ? 1 : 0;
                    }
                }
                return free;
            } finally {
                lock.unlock();
                DIARY.held(1, from, System.nanoTime());
            }
        }

        void reconcile(BoxOffice office) {
            lock.lock();
            try {
                office.compare(seats);
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        EventExecutor executor = new DefaultEventExecutor();
        SeatMap map = new SeatMap();
        BoxOffice office = new BoxOffice();
        Truth.repeat("reconciler", () -> {
            map.reconcile(office);
            Thread.sleep(16);
        });
        executor.scheduleAtFixedRate(() -> map.seats[3] ^= 1, 100, 100, TimeUnit.MILLISECONDS);
        DIARY.clients("kiosk", 6, 11, () -> {
            Future<Integer> free = executor.submit(map::free);
            free.sync();
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the event executor waits for a lock that the reconciler has while it compares")
            .object("PromiseTask", "DefaultPromise", "ReentrantLock", "NonfairSync").culprit("BoxOffice.compare")
            .thread("reconciler").victims("kiosk-*", "defaultEventExecutor-*-*")
            .share(DIARY.share(0), "the kiosks' waiting for their promise").say();
        Runtime.getRuntime().halt(0);
    }
}
