import java.util.concurrent.TimeUnit;

/**
 * The program of the thesis' lock patterns: threads that go round and round through held locks.
 *
 * <p>Arguments: threads (64), seconds (0 = until killed), form (`lock`, or `synchronized`), holds in
 * ms, one a lock, seconds to warm up (0). After these and the seconds, while the threads still go on, one
 * line a lock: its name, how often it was released since the warm-up, and for how long on average in
 * ns it was held, as the holders saw it; then, for the form `lock`, one line `contended NAME …` a
 * lock: the same of the holds that were waited for and during which others waited from begin to end,
 * those of the warm-up too.
 * With a warm-up the process then halts with its threads where they are.
 */
class LockPattern {
    /** The form is `synchronized`. */
    static boolean intrinsic;

    private static volatile boolean stopped;

    static void run(String[] arguments, Runnable round, HeldLock... locks)
            throws InterruptedException {
        int threads = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
        long seconds = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        intrinsic = arguments.length > 2 && arguments[2].equals("synchronized");
        String[] holds = arguments.length > 3 ? arguments[3].split(",") : new String[0];
        for (int i = 0; i < holds.length; i++) {
            locks[i].millis = Long.parseLong(holds[i]);
        }
        long warmUp = arguments.length > 4 ? Long.parseLong(arguments[4]) : 0;
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(() -> work(round), "worker-" + (i + 1));
            workers[i].start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            TimeUnit.SECONDS.sleep(warmUp);
            for (HeldLock lock : locks) {
                lock.forget();
            }
            TimeUnit.SECONDS.sleep(seconds);
            for (HeldLock lock : locks) {
                lock.print();
            }
            for (HeldLock lock : locks) {
                if (!intrinsic) {
                    lock.printContended();
                }
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

    private static void work(Runnable round) {
        while (!stopped) {
            round.run();
        }
    }

    /** What a thread does that has taken the lock; nothing once the time is over. */
    static void hold(HeldLock lock, boolean waited) {
        if (!stopped) {
            lock.hold(waited);
        }
    }
}
