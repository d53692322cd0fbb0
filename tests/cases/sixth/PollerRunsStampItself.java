import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Documents come in bursts over five SMTP sessions into an inbox of eight; a poller hands them to a pool
 * of three that stamps them, with a small queue and CallerRunsPolicy.
 *
 * Problem: when the pool's queue is full, the poller runs StampJob.run itself, 20 ms or, for a large
 * document, 350 ms; meanwhile the pool runs dry, the inbox fills up, and all sessions wait at it. Truth:
 * sessions wait at the inbox because the poller stamps. Measured: what the poller did while they waited.
 */
final class PollerRunsStampItself {
    static final int STAMPING = 0, POLLING = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    record Document(int number, boolean large) {
    }

    /** Signs by a service elsewhere. */
    static final class PdfStamper {
        void stamp(Document document) {
            Truth.sleep(document.large() ? 0.350 : 0.020);
        }
    }

    record StampJob(Document document, PdfStamper stamper) implements Runnable {
        @Override
        public void run() {
            stamper.stamp(document);
        }
    }

    static final class StampPool {
        static ThreadPoolExecutor create() {
            AtomicInteger numbers = new AtomicInteger();
            return new ThreadPoolExecutor(3, 3, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(4), work -> {
                Thread thread = new Thread(work, "stamp-pool-" + numbers.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }, new ThreadPoolExecutor.CallerRunsPolicy());
        }
    }

    static final class Inbox {
        private final BlockingQueue<Document> documents = new ArrayBlockingQueue<>(8);

        void deliver(Document document) throws InterruptedException {
            long from = System.nanoTime();
            documents.put(document);
            DIARY.waited(from, System.nanoTime());
        }

        Document next() throws InterruptedException {
            return documents.take();
        }
    }

    static final class InboxPoller {
        private final Inbox inbox;
        private final ThreadPoolExecutor pool = StampPool.create();
        private final PdfStamper stamper = new PdfStamper();

        InboxPoller(Inbox inbox) {
            this.inbox = inbox;
        }

        void pollOnce() throws InterruptedException {
            Document document = inbox.next();
            long from = System.nanoTime();
            forward(document);
            long to = System.nanoTime();
            DIARY.held(to - from > 10_000_000 ? STAMPING : POLLING, from, to);
        }

        private void forward(Document document) {
            pool.execute(new StampJob(document, stamper));
        }
    }

    /** Sends eight documents, every twelfth large, and pauses. */
    static final class SmtpSession {
        private static final AtomicInteger NUMBERS = new AtomicInteger();
        private final Inbox inbox;

        SmtpSession(Inbox inbox) {
            this.inbox = inbox;
        }

        void transfer() throws InterruptedException {
            for (int i = 0; i < 8; i++) {
                receive();
            }
            Thread.sleep(900);
        }

        private void receive() throws InterruptedException {
            Thread.sleep(2);
            int number = NUMBERS.incrementAndGet();
            inbox.deliver(new Document(number, number % 12 == 0));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Inbox inbox = new Inbox();
        Truth.repeat("inbox-poller", new InboxPoller(inbox)::pollOnce);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("smtp-session-" + i, new SmtpSession(inbox)::transfer);
        }
        Truth.sleep(seconds);
        Truth.of("the poller stamps documents itself, as its pool's policy is caller-runs")
            .object("ArrayBlockingQueue").culprit("InboxPoller.forward", "StampJob.run", "StampPool.create")
            .thread("inbox-poller").victims("smtp-session-*")
            .share(DIARY.share(STAMPING), "waiting to deliver").say();
    }
}
