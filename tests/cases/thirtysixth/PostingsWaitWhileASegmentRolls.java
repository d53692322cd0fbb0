import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Seven posters append to a journal under a mutex made at home: a queue of nodes, each with a thread
 * that parks until its turn is handed to it. An append takes half a millisecond.
 *
 * Problem: whoever fills a segment rolls it, Segment.roll, 24 ms, with the mutex. Truth: posters wait
 * for the HandoffMutex because of Segment.roll. Measured: the part of the posters' waiting during
 * which a segment is rolled.
 */
final class PostingsWaitWhileASegmentRolls {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class HandoffMutex {
        private static final class Node {
            final Thread thread = Thread.currentThread();
            final AtomicReference<Node> next = new AtomicReference<>();
            volatile boolean turn;
        }

        private final AtomicReference<Node> tail = new AtomicReference<>();
        private Node owner;

        void lock() {
            Node node = new Node();
            Node before = tail.getAndSet(node);
            if (before != null) {
                before.next.set(node);
                while (!node.turn) {
                    LockSupport.park(this);
                }
            }
            owner = node;
        }

        void unlock() {
            Node node = owner;
            if (node.next.get() == null) {
                if (tail.compareAndSet(node, null)) {
                    return;
                }
                while (node.next.get() == null) {
                    Thread.onSpinWait();
                }
            }
            Node next = node.next.get();
            next.turn = true;
            LockSupport.unpark(next.thread);
        }
    }

    static final class Segment {
        private static final AtomicInteger ROLLED = new AtomicInteger();
        private final ArrayDeque<String> lines = new ArrayDeque<>();

        void append(String line) {
            Truth.sleep(0.0005);
            lines.add(line);
        }

        boolean isFull() {
            return lines.size() >= 16;
        }

        Segment roll() {
            int bytes = 0;
            for (String line : lines) {
                bytes += line.length();
                Truth.sleep(0.0015);
            }
            ROLLED.addAndGet(bytes);
            return new Segment();
        }
    }

    static final class Journal {
        private final HandoffMutex mutex = new HandoffMutex();
        private Segment segment = new Segment();

        void post(String line) {
            long asked = System.nanoTime();
            mutex.lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                segment.append(line);
                long appended = System.nanoTime();
                DIARY.held(1, from, appended);
                if (segment.isFull()) {
                    segment = segment.roll();
                    DIARY.held(0, appended, System.nanoTime());
                }
            } finally {
                mutex.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Journal journal = new Journal();
        for (int i = 1; i <= 7; i++) {
            String line = "posting of teller " + i;
            Truth.repeat("poster-" + i, () -> {
                journal.post(line);
                Thread.sleep(9);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a segment is rolled under the mutex of all who post").object("HandoffMutex").culprit("Segment.roll")
            .thread("poster-*").victims("poster-*").share(DIARY.share(0), "the posters' waiting for the mutex").say();
    }
}
