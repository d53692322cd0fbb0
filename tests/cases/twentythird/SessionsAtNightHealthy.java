import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A chat server at night: twelve sessions with a mailbox each, a selector, a scheduler that sends a notice to all twice a
 * second, a pool for pictures that is hardly used, an elector that looks at its lease each 200 ms unless it is told
 * to, and a thread that waits for the end.
 *
 * Truth: healthy. Nobody waits for anybody; there is nothing to do.
 */
final class SessionsAtNightHealthy {
    record Session(BlockingQueue<String> mailbox, ExecutorService pictures) {
        void next() throws InterruptedException {
            String message = mailbox.take();
            if (message.startsWith("picture")) {
                pictures.execute(() -> Truth.sleep(0.002));
            }
        }
    }

    static final class Lease {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition told = lock.newCondition();
        private int looks;

        void look() throws InterruptedException {
            lock.lock();
            try {
                looks += told.await(200, TimeUnit.MILLISECONDS) ? 0 : 1;
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        Selector selector = Selector.open();
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService pictures = Executors.newFixedThreadPool(4, work -> Truth.daemon("pictures", work));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, work -> Truth.daemon("timer", work));
        List<Session> sessions = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            Session session = new Session(new LinkedBlockingQueue<>(), pictures);
            sessions.add(session);
            Truth.repeat("session-" + i, session::next);
        }
        Lease lease = new Lease();
        int[] notices = {0};
        timer.scheduleAtFixedRate(() -> {
            String notice = notices[0]++ % 4 == 0 ? "picture of the moon" : "it is late";
            sessions.forEach(session -> session.mailbox().add(notice));
        }, 500, 500, TimeUnit.MILLISECONDS);
        Truth.repeat("selector", selector::select);
        Truth.repeat("elector", lease::look);
        Truth.repeat("end", end::await);
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("a chat server at night").say();
    }
}
