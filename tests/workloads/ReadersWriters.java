import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Three readers and two writers of one lock; a reader holds it for 4 ms together with others, a writer
 * for 8 ms alone. Argument: ms (0 = until killed).
 */
class ReadersWriters {
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        Witness.watch(millis, () -> stopped = true,
            new Thread(ReadersWriters::read, "reader-1"), new Thread(ReadersWriters::read, "reader-2"),
            new Thread(ReadersWriters::read, "reader-3"), new Thread(ReadersWriters::write, "writer-1"),
            new Thread(ReadersWriters::write, "writer-2"));
    }

    static void read() {
        while (!stopped) {
            hold(LOCK.readLock(), 4);
            pause(3);
        }
    }

    static void write() {
        while (!stopped) {
            hold(LOCK.writeLock(), 8);
            pause(5);
        }
    }

    static void hold(Lock lock, long millis) {
        long asked = Witness.now();
        lock.lock();
        try {
            long begin = Witness.now();
            pause(millis);
            Witness.held("lock", asked, begin, Witness.now());
        } finally {
            lock.unlock();
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
