import java.util.concurrent.locks.LockSupport;

/**
 * Waits inside waits: with the agent of tests/jvm/nesting.c, which calls `inside` as a thread begins to wait
 * for a monitor, each of 20 entrants parks within its contended enter. Prints `entered N parked N`.
 */
class Nested {
    static final int ROUNDS = 20;
    static final Object GATE = new Object();
    static final Inside INSIDE = new Inside();
    static int entered;
    static volatile int parked;

    static class Inside {}

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            Thread entrant = new Entrant("entrant-" + i);
            Thread holder = new Thread(() -> hold(entrant), "holder-" + i);
            holder.start();
            holder.join();
            entrant.join();
        }
        System.out.println("entered " + entered + " parked " + parked);
    }

    static class Entrant extends Thread {
        boolean hasEntered;

        Entrant(String name) {
            super(name);
        }

        @Override
        public void run() {
            synchronized (GATE) {
                entered++;
                hasEntered = true;
            }
        }
    }

    static void hold(Thread entrant) {
        synchronized (GATE) {
            entrant.start();
            while (entrant.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        }
    }

    /** The agent's call; also as the JVM locks a thread that has ended, which is no wait of ours. */
    static void inside() {
        if (((Entrant) Thread.currentThread()).hasEntered) {
            return;
        }
        LockSupport.parkNanos(INSIDE, 1_000_000);
        parked++;
    }
}
