import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wake each other in turn: nothing but park and unpark. Arguments: seconds to measure
 * (0 = until killed), seconds to warm up (1), spins of work before each unpark (0), and for virtual
 * threads `virtual`, how many (2), and how many frames deep they park (0). Prints `pairs N wall_ns N cpu_ns N`: a pair is one park and one unpark; cpu is that
 * of the whole process.
 */
class HandOff {
    static final Object BLOCKER = new HandOff();
    static volatile int turn;
    static volatile boolean stopped;
    static volatile long pairs;

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long warmUp = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        int spins = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0;
        boolean virtual = arguments.length > 3;
        Thread[] players = new Thread[arguments.length > 4 ? Integer.parseInt(arguments[4]) : 2];
        int frames = arguments.length > 5 ? Integer.parseInt(arguments[5]) : 0;
        for (int i = 0; i < players.length; i++) {
            int me = i;
            Runnable player = () -> descend(frames, me, players, spins);
            String name = "player-" + (i + 1);
            players[i] = virtual ? Virtual.unstarted(name, player) : new Thread(player, name);
        }
        for (Thread player : players) {
            player.start();
        }
        System.out.println("ready");
        if (seconds == 0) {
            return;
        }
        Measure.pairs(warmUp, seconds, () -> pairs);
        stopped = true;
        for (Thread player : players) {
            LockSupport.unpark(player);
        }
    }

    static int descend(int frames, int me, Thread[] players, int spins) {
        if (frames > 0) {
            return descend(frames - 1, me, players, spins) + 1;
        }
        play(me, players, spins);
        return 0;
    }

    static void play(int me, Thread[] players, int spins) {
        while (!stopped) {
            while (turn != me) {
                if (stopped) {
                    return;
                }
                LockSupport.park(BLOCKER);
            }
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            pairs++; // only the thread whose turn it is
            int next = me + 1 < players.length ? me + 1 : 0;
            turn = next;
            LockSupport.unpark(players[next]);
        }
    }
}
