import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Two threads that do little else than allocate, from 12 frames deep; a unit is a byte. */
class AllocationStorm {
    static final int RING = 1 << 14;
    static final Object[][] RINGS = new Object[2][RING];

    static final class Node {
        final Node next;
        final long value;

        Node(Node next, long value) {
            this.next = next;
            this.value = value;
        }
    }

    static int dive(int depth, Object[] ring, int i) {
        return depth > 0 ? diveOn(depth - 1, ring, i) : batch(ring, i);
    }

    static int diveOn(int depth, Object[] ring, int i) {
        return depth > 0 ? dive(depth - 1, ring, i) : batch(ring, i);
    }

    static int batch(Object[] ring, int from) {
        int i = from;
        Node node = null;
        for (int k = 0; k < 20; k++) {
            node = new Node(k % 5 == 0 ? null : node, i);
            ring[i++ & RING - 1] = node;
        }
        for (int k = 0; k < 5; k++) {
            ring[i++ & RING - 1] = new byte[16 + (i * 37 & 1023)];
            ring[i++ & RING - 1] = new StringBuilder().append(i).append(':').append(k).toString();
        }
        ring[i++ & RING - 1] = new int[i & 63];
        ring[i++ & RING - 1] = Arrays.asList(i, node);
        return i;
    }

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int[] at = new int[RINGS.length];
        Turns.take(RINGS.length, number -> {
            long id = Thread.currentThread().getId();
            long before = threads.getThreadAllocatedBytes(id);
            int i = at[number];
            for (int k = 0; k < 2000; k++) {
                i = dive(12, RINGS[number], i);
            }
            at[number] = i;
            return threads.getThreadAllocatedBytes(id) - before;
        });
    }
}
