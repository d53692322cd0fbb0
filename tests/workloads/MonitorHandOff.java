
/**
 * Two threads that hand a monitor over to each other, from eight frames deep. Arguments: seconds to
 * measure (0 = until killed), seconds to warm up (1), and how: `notify`, each waits in Object.wait for
 * its turn and notifies the other; `enter`, each holds the monitor for a moment, in which the other
 * wants it. Prints `pairs N wall_ns N cpu_ns N`: a pair is one turn; cpu is that of the whole process.
 */
class MonitorHandOff {
    static final Object lock = new Object();
    static int turn;
    static volatile boolean stopped;
    static volatile long pairs;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        boolean enters = arguments.length > 2 && arguments[2].equals("enter");
        for (int i = 0; i < 2; i++) {
            int me = i;
            new Thread(() -> descend(8, me, enters), "player-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Measure.pairs(warmUp, seconds, () -> pairs);
        stopped = true;
    }

    static void descend(int depth, int me, boolean enters) {
        if (depth > 0) {
            descend(depth - 1, me, enters);
        } else if (enters) {
            enter();
        } else {
            takeTurns(me);
        }
    }

    static void takeTurns(int me) {
        synchronized (lock) {
            while (!stopped) {
                while (turn != me && !stopped) {
                    try {
                        lock.wait();
                    } catch (InterruptedException exception) {
                        return;
                    }
                }
                pairs++;
                turn = 1 - me;
                lock.notify();
            }
            lock.notify();
        }
    }

    static void enter() {
        while (!stopped) {
            synchronized (lock) {
                pairs++;
                Thread.yield(); // the other one comes, and waits
            }
        }
    }
}
