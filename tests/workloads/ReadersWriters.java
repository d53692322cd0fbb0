import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Readers and writers of one lock; a reader holds it together with others, a writer alone. Pauses are
 * random, up to twice what is asked for.
 * Arguments: ms (0 = until killed), then, as `threads,hold ms,pause ms`, the readers (3,4,3) and the
 * writers (2,8,5), then "fair" or "unfair". Prints `readers COUNT MEAN_HOLD_NS`, `writers …` and, of all
 * of them, `both …`.
 */
class ReadersWriters {
    static ReentrantReadWriteLock lock;
    static volatile boolean stopped;

    final Lock side;
    final long hold;
    final long pause;
    final LongAdder taken = new LongAdder();
    final LongAdder held = new LongAdder();

    ReadersWriters(Lock side, String hold, String pause) {
        this.side = side;
        this.hold = Long.parseLong(hold);
        this.pause = Long.parseLong(pause);
    }

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        String[] read = (arguments.length > 1 ? arguments[1] : "3,4,3").split(",");
        String[] write = (arguments.length > 2 ? arguments[2] : "2,8,5").split(",");
        lock = new ReentrantReadWriteLock(arguments.length > 3 && arguments[3].equals("fair"));
        ReadersWriters readers = new ReadersWriters(lock.readLock(), read[1], read[2]);
        ReadersWriters writers = new ReadersWriters(lock.writeLock(), write[1], write[2]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= Integer.parseInt(read[0]); i++) {
            threads.add(new Thread(readers::work, "reader-" + i));
        }
        for (int i = 1; i <= Integer.parseInt(write[0]); i++) {
            threads.add(new Thread(writers::work, "writer-" + i));
        }
        Witness.watch(millis, () -> stopped = true, threads.toArray(new Thread[0]));
        tell("readers", readers.taken.sum(), readers.held.sum());
        tell("writers", writers.taken.sum(), writers.held.sum());
        tell("both", readers.taken.sum() + writers.taken.sum(), readers.held.sum() + writers.held.sum());
    }

    static void tell(String who, long taken, long held) {
        System.out.println(who + " " + taken + " " + held / Math.max(taken, 1));
    }

    void work() {
        while (!stopped) {
            hold();
            pause(ThreadLocalRandom.current().nextLong(2 * pause + 1));
        }
    }

    void hold() {
        long asked = Witness.now();
        side.lock();
        try {
            long begin = Witness.now();
            pause(hold);
            long end = Witness.now();
            Witness.held("lock", asked, begin, end);
            taken.increment();
            held.add(end - begin);
        } finally {
            side.unlock();
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
