import java.util.Random;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The healthy twin of the many sites: a seat map with one lock and five methods that take it, run
 * by twelve agents and a sweeper. All of them hold the lock for microseconds; the sweeper's slow
 * call to the airline comes after the lock is given back.
 *
 * Truth: nothing to be found.
 */
class QuickSitesHealthy {
    private final Lock lock = new ReentrantLock();
    private final long[] seats = new long[300];

    boolean book(int seat, long passenger) {
        lock.lock();
        try {
            if (seats[seat] != 0) {
                return false;
            }
            seats[seat] = passenger;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void cancel(int seat) {
        lock.lock();
        try {
            seats[seat] = 0;
        } finally {
            lock.unlock();
        }
    }

    int free() {
        lock.lock();
        try {
            int free = 0;
            for (long seat : seats) {
                free += seat == 0 ? 1 : 0;
            }
            return free;
        } finally {
            lock.unlock();
        }
    }

    long passenger(int seat) {
        lock.lock();
        try {
            return seats[seat];
        } finally {
            lock.unlock();
        }
    }

    void sweep() {
        long[] copy;
        lock.lock();
        try {
            copy = seats.clone();
        } finally {
            lock.unlock();
        }
        tellAirline(copy);
    }

    private void tellAirline(long[] state) {
        Truth.sleep(0.1 + state.length / 1e4);
    }

    public static void main(String[] args) throws InterruptedException {
        QuickSitesHealthy map = new QuickSitesHealthy();
        Thread[] all = new Thread[13];
        for (int i = 0; i < 13; i++) {
            Random random = new Random(i);
            Runnable turn = i == 12 ? map::sweep : () -> {
                int seat = random.nextInt(300);
                if (map.free() < 100 || map.passenger(seat) != 0) {
                    map.cancel(seat);
                } else {
                    map.book(seat, random.nextLong());
                }
            };
            all[i] = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    turn.run();
                    Truth.sleep((5 + random.nextInt(20)) / 1e3);
                }
            }, i == 12 ? "sweeper" : "agent-" + i);
            all[i].start();
        }
        Truth.sleep(Truth.seconds(args));
        for (Thread thread : all) {
            thread.interrupt();
            thread.join();
        }
        Truth.healthy("every site holds the lock for microseconds only")
            .object().culprit().thread().victims().noShare().say();
    }
}
