import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Some threads give up waiting for a lock in the middle of its queue, after 7 ms or because they are
 * interrupted; giving up, a thread that never owned the lock wakes the next one. The owner holds it for 30
 * ms; patient threads stay. Arguments: ms (0 = until killed), "timeout" or "interrupt".
 */
class ImpatientQueue {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        boolean interrupting = arguments.length > 1 && arguments[1].equals("interrupt");
        Thread[] threads = new Thread[interrupting ? 7 : 6];
        threads[0] = new Thread(() -> hold(30), "owner-1");
        threads[1] = new Thread(() -> hold(2), "patient-1");
        threads[3] = new Thread(() -> hold(2), "patient-2");
        for (int i : new int[] {2, 4, 5}) {
            threads[i] = new Thread(() -> hurry(interrupting), "hurried-" + i);
        }
        if (interrupting) {
            threads[6] = new Thread(() -> disturb(threads[2], threads[4], threads[5]), "disturber-1");
        }
        Witness.watch(millis, () -> stopped = true, threads);
    }

    static void hold(long millis) {
        while (!stopped) {
            long asked = Witness.now();
            LOCK.lock();
            own(asked, millis);
        }
    }

    static void own(long asked, long millis) {
        try {
            long begin = Witness.now();
            rest(millis);
            Witness.held("lock", asked, begin, Witness.now());
        } finally {
            LOCK.unlock();
        }
    }

    static void hurry(boolean interrupted) {
        while (!stopped) {
            long asked = Witness.now();
            try {
                if (interrupted) {
                    LOCK.lockInterruptibly();
                } else if (!LOCK.tryLock(7, TimeUnit.MILLISECONDS)) {
                    Witness.wanted("lock", asked, Witness.now());
                    continue;
                }
                own(asked, 1);
            } catch (InterruptedException exception) {
                Witness.wanted("lock", asked, Witness.now());
            }
        }
    }

    static void disturb(Thread... hurried) {
        for (int i = 0; !stopped; i++) {
            rest(3);
            hurried[i % hurried.length].interrupt();
        }
    }

    static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
