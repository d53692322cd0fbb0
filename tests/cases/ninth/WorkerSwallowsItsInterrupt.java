import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gateway forwards messages on two threads of a pool. To stop, it interrupts them and awaits their end; sessions
 * that close meanwhile wait until it has stopped.
 *
 * Problem: Uplink.forward catches the interrupt, which is not the end of its loop, and takes the next message, of
 * which there are no more. Truth: stuck, sessions and the one who stops, because of Uplink.forward.
 */
final class WorkerSwallowsItsInterrupt {
    static final class Uplink {
        private final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final AtomicInteger sent = new AtomicInteger(), swallowed = new AtomicInteger();

        void offer(String message) {
            messages.offer(message);
        }

        void forward() {
            while (true) {
                try {
                    send(messages.take());
                } catch (InterruptedException exception) {
                    swallowed.incrementAndGet(); // "will be sent once more"
                }
            }
        }

        private void send(String message) throws InterruptedException {
            Thread.sleep(1);
            sent.addAndGet(message.length());
        }
    }

    static final class Gateway {
        private final Uplink uplink = new Uplink();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final AtomicInteger threads = new AtomicInteger();
        private volatile boolean closing;
        private final ExecutorService pool = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "uplink-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });

        void start() {
            pool.execute(uplink::forward);
            pool.execute(uplink::forward);
        }

        void stop() {
            closing = true;
            pool.shutdownNow();
            try {
                pool.awaitTermination(1, TimeUnit.HOURS);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            stopped.countDown();
        }

        void session() {
            try {
                while (!closing) {
                    uplink.offer("hello");
                    Thread.sleep(8);
                }
                stopped.await();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Gateway gateway = new Gateway();
        gateway.start();
        List<Thread> sessions = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            sessions.add(Truth.start("session-" + i, gateway::session));
        }
        Truth.hangsOnce(sessions);
        Truth.sayAndHalt(Truth.stuck("a pool's threads swallow the interrupt that should end them")
            .object("CountDownLatch", "ConditionObject", "ThreadPoolExecutor").culprit("Uplink.forward")
            .thread("uplink-*").victims("session-*").noShare(), seconds);
        Truth.sleep(1.2);
        Truth.start("stopper", gateway::stop);
        Truth.sleep(seconds - 1.4);
        System.out.println(gateway.uplink.swallowed + " interrupts swallowed");
        Truth.sleep(seconds);
    }
}
