import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Twelve threads at a time that park, wait and contend, all with one Thread.tid, or with five that
 * wander between them: set before their first wait, or again and again. Arguments: seconds (3).
 * Prints `parks N`.
 */
class SharedTids {
    static final int THREADS = 12, PARKS = 3000;
    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final AtomicLong PARKED = new AtomicLong();

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
        MethodHandle setTid = setTid();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        for (int round = 0; System.nanoTime() < end; round++) {
            Thread[] threads = new Thread[THREADS];
            boolean wanders = round % 2 != 0;
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                threads[i] = new Thread(() -> wait(setTid, number, wanders), "shared-" + (i + 1));
            }
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("parks " + PARKED);
    }

    /** Of a thread, to a number: by a class that the compiler warns of where it is named. */
    static MethodHandle setTid() throws Exception {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        Object unsafe = field.get(null);
        long at = (long) type.getMethod("objectFieldOffset", Field.class)
            .invoke(unsafe, Thread.class.getDeclaredField("tid"));
        MethodHandle put = lookup.unreflect(type.getMethod("putLong", Object.class, long.class, long.class));
        return MethodHandles.insertArguments(put.bindTo(unsafe), 1, at);
    }

    static void wait(MethodHandle setTid, int number, boolean wanders) {
        try {
            waitThere(setTid, number, wanders);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    static void waitThere(MethodHandle setTid, int number, boolean wanders) throws Throwable {
        Thread self = Thread.currentThread();
        setTid.invoke(self, 42L);
        for (int i = 0; i < PARKS; i++) {
            if (wanders) {
                setTid.invoke(self, 40L + (i + number) % 5);
            }
            LockSupport.unpark(self);
            LockSupport.park(LOCK);
            if (i % 16 == number) {
                synchronized (MONITOR) {
                    MONITOR.wait(1);
                    MONITOR.notifyAll();
                }
            }
            if (i % 8 == 0) {
                LOCK.lock();
                Thread.yield();
                LOCK.unlock();
            }
        }
        PARKED.addAndGet(PARKS);
    }
}
