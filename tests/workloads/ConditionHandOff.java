import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two threads that hand a turn over to each other by a lock with a condition for each, from eight frames
 * deep. Arguments: seconds to measure (0 = until killed), seconds to warm up (1). Prints `pairs N wall_ns
 * N cpu_ns N`: a pair is one turn; cpu is that of the whole process.
 */
class ConditionHandOff {
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition[] myTurn = {lock.newCondition(), lock.newCondition()};
    static int turn;
    static volatile boolean stopped;
    static volatile long pairs;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        for (int i = 0; i < 2; i++) {
            int me = i;
            new Thread(() -> descend(8, me), "player-" + (i + 1)).start();
        }
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Measure.pairs(warmUp, seconds, () -> pairs);
        stopped = true;
    }

    static void descend(int depth, int me) {
        if (depth > 0) {
            descend(depth - 1, me);
        } else {
            takeTurns(me);
        }
    }

    static void takeTurns(int me) {
        lock.lock();
        try {
            while (!stopped) {
                while (turn != me && !stopped) {
                    myTurn[me].await();
                }
                pairs++;
                turn = 1 - me;
                myTurn[1 - me].signal();
            }
            myTurn[1 - me].signal();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
