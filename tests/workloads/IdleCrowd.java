import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that stand idle, as many as the first argument says, while four others contend for fresh
 * monitors all the time, for as many seconds as the second one says. Prints `ready` once all stand,
 * then `contended N`, and stays until killed. With a third argument they contend for one lock.
 */
class IdleCrowd {
    static volatile Object lock = new Object();
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        int idle = Integer.parseInt(arguments[0]);
        CountDownLatch standing = new CountDownLatch(idle), never = new CountDownLatch(1);
        for (int i = 0; i < idle; i++) {
            Thread thread = new Thread(null, () -> {
                standing.countDown();
                try {
                    never.await();
                } catch (InterruptedException exception) {
                    return;
                }
            }, "idle-" + i, 64 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        standing.await();
        System.out.println("ready");
        Thread[] contenders = new Thread[4];
        for (int i = 0; i < contenders.length; i++) {
            contenders[i] = new Thread(arguments.length > 2 ? IdleCrowd::contendForLock : IdleCrowd::contend, "contender-" + i);
            contenders[i].start();
        }
        Thread.sleep((long) (Double.parseDouble(arguments[1]) * 1000));
        over = true;
        for (Thread contender : contenders) {
            contender.join();
        }
        System.out.println("contended " + rounds);
        Thread.sleep(Long.MAX_VALUE);
    }

    static int rounds;

    static void contend() {
        while (!over) {
            Object mine = lock;
            synchronized (mine) {
                if (rounds++ % 20 == 0) {
                    lock = new Object();
                }
                try {
                    Thread.sleep(1);
                } catch (InterruptedException exception) {
                    throw new AssertionError(exception);
                }
            }
        }
    }

    static final ReentrantLock one = new ReentrantLock();

    static void contendForLock() {
        while (!over) {
            one.lock();
            try {
                Thread.sleep(20);
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            } finally {
                one.unlock();
            }
        }
    }
}
