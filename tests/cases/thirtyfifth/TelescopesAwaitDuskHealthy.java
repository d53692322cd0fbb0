import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Six telescopes, a virtual thread each where the JDK has them, get the coordinates of what they look
 * at, each 150 ms or so, from deques of their own. Before that all await a latch while the weather is
 * read (0.4 s, once). Two standby controllers await the turn of one that leads and never gives up (a
 * lock and a condition); a shutter's phaser advances each 200 ms by the clock; five of six permits for
 * the dome's power are free at any time.
 *
 * Problem: none: the beginning lasts as long as it has to, and then there is just little to do. Truth:
 * healthy. Measured: nothing.
 */
final class TelescopesAwaitDuskHealthy {
    static final class Election {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition vacant = lock.newCondition();
        private String leader;

        void lead(String name) throws InterruptedException {
            lock.lock();
            try {
                while (leader != null) {
                    vacant.await();
                }
                leader = name;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Telescope implements Runnable {
        private final CountDownLatch dusk;
        private final Semaphore power;
        private final LinkedBlockingDeque<Double> coordinates = new LinkedBlockingDeque<>();
        private double seen;

        Telescope(CountDownLatch dusk, Semaphore power) {
            this.dusk = dusk;
            this.power = power;
        }

        @Override
        public void run() {
            try {
                dusk.await();
                while (true) {
                    Double next = coordinates.pollFirst(2, TimeUnit.SECONDS);
                    if (next != null) {
                        power.acquire();
                        seen += next;
                        power.release();
                    }
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        CountDownLatch dusk = new CountDownLatch(1);
        Semaphore power = new Semaphore(6, true);
        Telescope[] telescopes = new Telescope[6];
        for (int i = 0; i < 6; i++) {
            telescopes[i] = new Telescope(dusk, power);
            Truth.virtual("telescope-" + (i + 1), telescopes[i]);
        }
        Election election = new Election();
        for (int i = 1; i <= 3; i++) {
            String name = "controller-" + i;
            Truth.repeat(name, () -> {
                election.lead(name);
                while (true) {
                    Thread.sleep(120);
                }
            });
        }
        Phaser shutter = new Phaser(2);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("shutter-" + i, () -> {
                Thread.sleep(200 - System.nanoTime() / 1_000_000 % 200);
                shutter.arriveAndAwaitAdvance();
            });
        }
        Truth.start("weather", () -> {
            Truth.sleep(0.4);
            dusk.countDown();
        });
        Truth.repeat("scheduler", () -> {
            for (Telescope telescope : telescopes) {
                telescope.coordinates.addLast(System.nanoTime() * 1e-9);
                Thread.sleep(25);
            }
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there is just little to do at night").object().culprit().thread().victims().noShare().say();
    }
}
