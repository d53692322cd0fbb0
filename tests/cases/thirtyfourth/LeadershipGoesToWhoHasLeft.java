import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Four replicas lead in turn, 4 ms each; who leads hands over to the first of a line, by LockSupport.unpark. All of it
 * is made at home.
 *
 * Problem: after two fifths of the time a probe asks to lead for at most 5 ms, gives up and does not leave the line, so
 * that leadership is handed to a thread that has gone. Truth: stuck; replicas wait for their turn because of
 * Leadership.handOver (or Leadership.tryLead, which leaves its place in the line).
 */
final class LeadershipGoesToWhoHasLeft {
    static final class Place {
        final Thread thread = Thread.currentThread();
    }

    static final class Leadership {
        private final Deque<Place> line = new ConcurrentLinkedDeque<>();
        private final AtomicReference<Place> leader = new AtomicReference<>();

        Place lead() {
            Place place = new Place();
            line.addLast(place);
            if (leader.compareAndSet(null, line.peekFirst())) {
                wake(line.pollFirst());
            }
            while (leader.get() != place) {
                LockSupport.park(this);
            }
            return place;
        }

        boolean tryLead(long nanos) {
            Place place = new Place();
            line.addLast(place);
            long end = System.nanoTime() + nanos;
            while (leader.get() != place) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
            }
            handOver();
            return true;
        }

        void handOver() {
            Place next = line.pollFirst();
            leader.set(next);
            if (next != null) {
                wake(next);
            }
        }

        private static void wake(Place place) {
            if (place != null) {
                LockSupport.unpark(place.thread);
            }
        }
    }

    static final class Replica implements Truth.Step {
        private final Leadership leadership;
        private int term;

        Replica(Leadership leadership) {
            this.leadership = leadership;
        }

        @Override
        public void run() throws Exception {
            leadership.lead();
            term++;
            Thread.sleep(4);
            leadership.handOver();
            if (term % 50 == 0) {
                Thread.sleep(1);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Leadership leadership = new Leadership();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            all.add(Truth.repeat("replica-" + i, new Replica(leadership)));
        }
        Truth.repeat("heartbeat", () -> Thread.sleep(50));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("leadership is handed to a thread that has given up").object("Leadership")
            .culprit("Leadership.handOver", "Leadership.tryLead").thread("replica-*").victims("replica-*").noShare(),
            seconds);
        Truth.sleep(seconds * 0.4);
        Truth.start("probe", () -> leadership.tryLead(5_000_000));
        Truth.sleep(seconds + 2);
    }
}
