import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that hold a lock in turn for 5 ms while the collector is told to stop the world, which takes
 * as long as the linked nodes that it must follow. Arguments: pauses (0 = until killed), millions of nodes
 * (4; 32 MB each).
 */
class GcPauses {
    static final ReentrantLock LOCK = new ReentrantLock(true);
    static volatile boolean stopped;
    static Node kept;

    public static void main(String[] arguments) throws InterruptedException {
        long pauses = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        int millions = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        for (int i = 0; i < millions * 1_000_000; i++) {
            kept = new Node(kept);
        }
        Thread collector = new Thread(() -> collect(pauses), "collector-1");
        Witness.watch(0, () -> { }, new Thread(GcPauses::work, "worker-1"),
            new Thread(GcPauses::work, "worker-2"), new Thread(GcPauses::work, "worker-3"), collector);
    }

    static void collect(long pauses) {
        for (long i = 0; pauses == 0 || i < pauses; i++) {
            rest(50);
            long begin = Witness.now();
            System.gc();
            Witness.stopped(begin, Witness.now());
        }
        rest(50);
        stopped = true;
    }

    static void work() {
        while (!stopped) {
            long asked = Witness.now();
            LOCK.lock();
            try {
                long begin = Witness.now();
                rest(5);
                Witness.held("lock", asked, begin, Witness.now());
            } finally {
                LOCK.unlock();
            }
        }
    }

    static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static class Node {
        final Node next;
        long a;
        long b;

        Node(Node next) {
            this.next = next;
        }
    }
}
