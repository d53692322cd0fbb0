import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Three publishers put events into a subscriber's queue of eight, with the topic's lock; the subscriber takes and
 * handles them (1 ms). All are virtual threads where the JDK has them.
 *
 * Problem: after two fifths of the time the subscriber is told to be muted, and wants the topic's lock for that, while a
 * publisher that has it waits for room in the queue. Truth: stuck; publishers wait for the ReentrantLock, one for room,
 * because of Topic.publish (and Topic.mute).
 */
final class EventsPublishedUnderTheTopicLock {
    static volatile boolean quotaReached;

    static final class Topic {
        private final ReentrantLock lock = new ReentrantLock();
        private final BlockingQueue<Integer> events = new ArrayBlockingQueue<>(8);
        private boolean muted;

        void publish(int event) throws InterruptedException {
            lock.lock();
            try {
                if (!muted) {
                    events.put(event);
                }
            } finally {
                lock.unlock();
            }
        }

        int next() throws InterruptedException {
            return events.take();
        }

        void mute() {
            lock.lock();
            try {
                muted = true;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Subscriber implements Truth.Step {
        private final Topic topic;

        Subscriber(Topic topic) {
            this.topic = topic;
        }

        @Override
        public void run() throws Exception {
            topic.next();
            Truth.sleep(0.001);
            if (quotaReached) {
                bill();
                topic.mute();
            }
        }

        private static void bill() {
            Truth.sleep(0.25);
        }
    }

    static Thread virtually(String name, Truth.Step step) {
        return Truth.virtual(name, () -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        });
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Topic topic = new Topic();
        List<Thread> all = new ArrayList<>();
        all.add(virtually("subscriber-1", new Subscriber(topic)));
        for (int i = 1; i <= 3; i++) {
            int own = i;
            all.add(virtually("publisher-" + i, () -> {
                topic.publish(own);
                Truth.sleep(0.008 + 0.001 * own);
            }));
        }
        Truth.repeat("topic-meter", () -> Thread.sleep(100 + topic.events.size()));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("who puts into a full queue has the lock that its only taker wants")
            .object("ReentrantLock", "NonfairSync", "ConditionObject", "ArrayBlockingQueue")
            .culprit("Topic.publish", "Topic.mute").thread("publisher-*", "subscriber-1")
            .victims("publisher-*", "subscriber-1").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        quotaReached = true;
        Truth.sleep(seconds + 2);
    }
}
