import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread is parked for ever, a thousand frames deep, in a monitor that two others want. Then the
 * heap is filled until so many bytes are left, the argument; `full`. For ten seconds the program makes no
 * object: then `rest`, how many collections there were meanwhile, and by how many bytes the heap grew.
 */
class FullHeap {
    static final Object monitor = new Object();
    static final Object[] kept = new Object[1 << 20];

    public static void main(String[] arguments) throws Exception {
        long rest = Long.parseLong(arguments[0]);
        Virtual.start("holder", () -> hold(1000));
        Thread.sleep(300);
        Virtual.start("poster", FullHeap::want);
        Thread adder = new Thread(FullHeap::want, "adder");
        adder.setDaemon(true);
        adder.start();
        Thread.sleep(300);
        collections(); // its classes are there before the heap is full
        int n = 0;
        for (int size = 100_000; size >= 1_000; size /= 10) {
            System.gc();
            while (left() > rest + size) {
                kept[n++] = new byte[size];
            }
        }
        System.gc();
        long collections = collections(), left = left();
        System.out.println("full");
        Thread.sleep(10_000);
        long grown = left - left();
        System.out.println("rest " + (collections() - collections) + " " + grown);
        System.exit(0);
    }

    static void hold(int depth) {
        if (depth > 0) {
            hold(depth - 1);
            return;
        }
        synchronized (monitor) {
            while (true) {
                LockSupport.park();
            }
        }
    }

    static void want() {
        synchronized (monitor) {
        }
    }

    static long left() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }

    static long collections() {
        long n = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            n += collector.getCollectionCount();
        }
        return n;
    }
}
