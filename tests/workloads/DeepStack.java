import java.util.concurrent.locks.LockSupport;

/**
 * Waits and wakes within the last frames of a small stack, after each overflow; what it does never fails but for
 * another overflow. Argument: rounds.
 */
class DeepStack {
    static final Object LOCK = new Object();
    static final Object WAITED = new Object();
    static final int DEEDS_PER_STACK = 300;

    static volatile boolean isOver;
    static volatile Thread parked;
    static int left;
    static int done;

    interface Deed {
        void run() throws InterruptedException;
    }

    static final Deed[] DEEDS = {
        () -> LockSupport.parkNanos(LOCK, 1),
        () -> {
            synchronized (LOCK) {
                done++;
            }
        },
        () -> {
            synchronized (WAITED) {
                WAITED.wait(1);
            }
        },
        () -> {
            synchronized (WAITED) {
                WAITED.notifyAll();
            }
        },
        () -> LockSupport.unpark(parked),
    };

    public static void main(String[] arguments) throws InterruptedException {
        Thread holder = start(() -> {
            synchronized (LOCK) {
                LockSupport.parkNanos(200_000);
            }
        });
        Thread waiter = start(() -> {
            synchronized (WAITED) {
                WAITED.wait(5);
            }
        });
        parked = start(() -> LockSupport.parkNanos(1_000_000));
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            for (Deed deed : DEEDS) {
                int depth = round * 3;
                left = DEEDS_PER_STACK;
                Thread deep = new Thread(null, () -> begin(deed, depth), "deep", 256 << 10);
                deep.start();
                deep.join();
            }
        }
        isOver = true;
        System.out.println(done > 0 ? "survived" : "nothing done");
        holder.join();
        waiter.join();
    }

    static Thread start(Deed deed) {
        Thread thread = new Thread(() -> {
            while (!isOver) {
                try {
                    deed.run();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** So that the last frames lie elsewhere in each round. */
    static void begin(Deed deed, int depth) {
        if (depth > 0) {
            begin(deed, depth - 1);
        } else {
            descend(deed);
        }
    }

    static void descend(Deed deed) {
        try {
            descend(deed);
        } catch (StackOverflowError e) {
            // as deep as it goes
        }
        if (left <= 0) {
            return;
        }
        left--;
        try {
            deed.run();
            done++;
        } catch (StackOverflowError e) {
            // as without anybody who looks
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
