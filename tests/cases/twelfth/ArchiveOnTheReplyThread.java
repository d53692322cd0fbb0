import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;

/**
 * A client that sends requests over one wire and lets eight be under way: who sends takes a permit, and the thread that
 * handles replies gives it back. Twelve senders (virtual threads where the JDK has them) send invoices.
 *
 * Problem: what is to be done with a reply is done on the reply thread before the permit is given back, and
 * InvoiceArchive.store takes 8 ms for each. Truth: senders wait for the Semaphore because of InvoiceArchive.store.
 * Measured: the part of their waiting for a permit during which an invoice is stored.
 */
final class ArchiveOnTheReplyThread {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Request(int number, IntConsumer handler) {
    }

    static final class InvoiceArchive {
        private long sum;

        void store(int number) {
            long from = System.nanoTime();
            Truth.sleep(0.008);
            sum += number;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class WireClient {
        private final Semaphore window = new Semaphore(8);
        private final BlockingQueue<Request> wire = new LinkedBlockingQueue<>();
        private final BlockingQueue<Request> replies = new LinkedBlockingQueue<>();

        WireClient() {
            Truth.repeat("wire", this::carry);
            Truth.repeat("reply", this::handleReply);
        }

        void send(int number, IntConsumer handler) throws InterruptedException {
            long from = System.nanoTime();
            window.acquire();
            DIARY.waited(from, System.nanoTime());
            wire.add(new Request(number, handler));
        }

        private void carry() throws InterruptedException {
            Request request = wire.take();
            Thread.sleep(1);
            replies.add(request);
        }

        private void handleReply() throws InterruptedException {
            Request request = replies.take();
            request.handler().accept(request.number());
            window.release();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        WireClient client = new WireClient();
        InvoiceArchive archive = new InvoiceArchive();
        for (int i = 1; i <= 12; i++) {
            int sender = i;
            Truth.virtual("sender-" + i, () -> {
                try {
                    for (int n = 0;; n++) {
                        client.send(sender * 1000 + n, archive::store);
                        Thread.sleep(30);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        DIARY.fill(seconds);
        Truth.of("replies are archived on the one thread that gives permits back")
            .object("Semaphore").culprit("InvoiceArchive.store").thread("reply").victims("sender-*")
            .share(DIARY.share(0), "the senders' waiting for a permit").say();
    }
}
