import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The thesis' large-critical-section pattern (004 §5.2): three locks taken equally often and held 4,
 * 16 and 64 ms. The third one is the bottleneck.
 *
 * <p>Arguments: threads (64), seconds (0 = until killed), form (`lock`, or `synchronized`), holds in
 * ms (4,16,64), seconds to warm up (0). After these and the seconds, while the threads still go on, one
 * line a lock: its name, how often it was released since the warm-up, and for how long on average in
 * ns it was held, as the holders saw it; then, for the form `lock`, one line `contended NAME …` a
 * lock: the same of the holds during which others waited from begin to end, those of the warm-up too.
 * With a warm-up the process then halts with its threads where they are.
 */
class LargeCriticalSection {
    static final String[] NAMES = {"first", "second", "third"};
    static final ReentrantLock FIRST = new ReentrantLock();
    static final ReentrantLock SECOND = new ReentrantLock();
    static final ReentrantLock THIRD = new ReentrantLock();
    static final AtomicLong[] TAKEN = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final AtomicLong[] HELD_NS = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final ReentrantLock[] LOCKS = {FIRST, SECOND, THIRD};
    static final AtomicLong[] CONTENDED = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final AtomicLong[] CONTENDED_NS = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
    static final Object[] MONITORS = {new Object(), new Object(), new Object()};
    static final long[] MILLIS = {4, 16, 64};
    static boolean intrinsic;
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        intrinsic = arguments.length > 2 && arguments[2].equals("synchronized");
        String[] holds = arguments.length > 3 ? arguments[3].split(",") : new String[0];
        for (int i = 0; i < holds.length; i++) {
            MILLIS[i] = Long.parseLong(holds[i]);
        }
        long warmUp = arguments.length > 4 ? Long.parseLong(arguments[4]) : 0;
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(LargeCriticalSection::work, "worker-" + (i + 1));
            workers[i].start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            TimeUnit.SECONDS.sleep(warmUp);
            for (int i = 0; i < NAMES.length; i++) {
                TAKEN[i].set(0);
                HELD_NS[i].set(0);
            }
            TimeUnit.SECONDS.sleep(seconds);
            for (int i = 0; i < NAMES.length; i++) {
                print(NAMES[i], TAKEN[i].get(), HELD_NS[i].get());
            }
            for (int i = 0; i < NAMES.length && !intrinsic; i++) {
                print("contended " + NAMES[i], CONTENDED[i].get(), CONTENDED_NS[i].get());
            }
            if (warmUp > 0) {
                Runtime.getRuntime().halt(0);
            }
            stopped = true;
        }
        for (Thread worker : workers) {
            worker.join();
        }
    }

    static void print(String name, long holds, long ns) {
        System.out.println(name + " " + holds + " " + ns / Math.max(holds, 1));
    }

    static void work() {
        while (!stopped) {
            first();
            second();
            third();
        }
    }

    static void first() {
        if (intrinsic) {
            synchronized (MONITORS[0]) {
                hold(0);
            }
            return;
        }
        FIRST.lock();
        try {
            hold(0);
        } finally {
            FIRST.unlock();
        }
    }

    static void second() {
        if (intrinsic) {
            synchronized (MONITORS[1]) {
                hold(1);
            }
            return;
        }
        SECOND.lock();
        try {
            hold(1);
        } finally {
            SECOND.unlock();
        }
    }

    static void third() {
        if (intrinsic) {
            synchronized (MONITORS[2]) {
                hold(2);
            }
            return;
        }
        THIRD.lock();
        try {
            hold(2);
        } finally {
            THIRD.unlock();
        }
    }

    static void hold(int lock) {
        if (stopped) {
            return;
        }
        // the first has waited for nothing, and for the code to be loaded
        boolean contended = TAKEN[lock].get() > 0 && LOCKS[lock].hasQueuedThreads();
        long begin = System.nanoTime();
        try {
            Thread.sleep(MILLIS[lock]);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        long held = System.nanoTime() - begin;
        HELD_NS[lock].addAndGet(held);
        TAKEN[lock].incrementAndGet();
        if (contended) {
            CONTENDED[lock].incrementAndGet();
            CONTENDED_NS[lock].addAndGet(held);
        }
    }
}
