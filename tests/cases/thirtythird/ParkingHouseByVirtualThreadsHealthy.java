import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A parking house of fifty places, a pool made at home with a Condition: thirty cars, virtual threads where the JDK has
 * them, take a place, stay for a while, and drive around. Two gates are looked at by a scheduler each 100 ms; three
 * floors report at the same time, each second, by a barrier. A cashier waits for a note (Condition) each 300 ms.
 *
 * Problem: none: there are more places than cars. Truth: healthy. Measured: nothing.
 */
final class ParkingHouseByVirtualThreadsHealthy {
    static final class House {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition free = lock.newCondition(), paid = lock.newCondition();
        private final Deque<Integer> places = new ArrayDeque<>();
        private int notes;

        House(int size) {
            for (int i = 1; i <= size; i++) {
                places.add(i);
            }
        }

        int enter() throws InterruptedException {
            lock.lock();
            try {
                while (places.isEmpty()) {
                    free.await();
                }
                return places.pop();
            } finally {
                lock.unlock();
            }
        }

        void leave(int place) {
            lock.lock();
            try {
                places.push(place);
                free.signal();
            } finally {
                lock.unlock();
            }
        }

        void pay() {
            lock.lock();
            try {
                notes++;
                paid.signal();
            } finally {
                lock.unlock();
            }
        }

        int nextNote() throws InterruptedException {
            lock.lock();
            try {
                while (notes == 0) {
                    paid.await();
                }
                return notes--;
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        House house = new House(50);
        for (int i = 1; i <= 30; i++) {
            Random random = new Random(i);
            Truth.virtual("car-" + i, () -> {
                try {
                    while (true) {
                        int place = house.enter();
                        Thread.sleep(100 + random.nextInt(300));
                        house.leave(place);
                        Thread.sleep(random.nextInt(200));
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        CyclicBarrier report = new CyclicBarrier(3);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("floor-" + i, () -> {
                Thread.sleep(1000);
                report.await();
            });
        }
        Truth.repeat("cashier", house::nextNote);
        ScheduledExecutorService gates = Executors.newScheduledThreadPool(2, work -> Truth.daemon("gate", work));
        gates.scheduleAtFixedRate(() -> Truth.sleep(0.002), 100, 100, TimeUnit.MILLISECONDS);
        gates.scheduleAtFixedRate(house::pay, 300, 300, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there are more places than cars").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
