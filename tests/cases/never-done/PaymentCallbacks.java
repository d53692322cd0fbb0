import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checkouts send payments to a gateway and join the CompletableFuture that its listener completes
 * when the reply comes. A reply of a kind that the parser does not know throws; the listener
 * drops it with a line in the log and goes on with the next, and nobody completes that future.
 * After some seconds all seven checkouts have met such a reply.
 *
 * Problem: GatewayListener.onReply leaves the future as it is on its exception path. Truth: stuck
 * at CompletableFutures. Measured: no share; HANG is said when all checkouts wait and no reply is
 * due.
 */
final class PaymentCallbacks {
    static final int CHECKOUTS = 7;
    static final AtomicInteger lost = new AtomicInteger();

    public static void main(String[] arguments) {
        Truth.sayAndHalt(Truth.stuck("replies that the parser does not know are dropped by the "
            + "gateway's listener, and the futures of those payments are never completed")
            .object("CompletableFuture", "Signaller")
            .culprit("GatewayListener.onReply", "GatewayListener.handle", "GatewayListener.run",
                "ReplyParser.parse")
            .thread("gateway-listener").victims("checkout-*").noShare(),
            Truth.seconds(arguments));
        Gateway gateway = new Gateway();
        new Thread(new GatewayListener(gateway), "gateway-listener").start();
        new Thread(() -> reconcile(gateway), "reconcile").start();
        for (int i = 1; i <= CHECKOUTS; i++) {
            Random random = new Random(i);
            new Thread(() -> checkOut(gateway, random), "checkout-" + i).start();
        }
        while (lost.get() < CHECKOUTS) {
            Truth.sleep(0.1);
        }
        Truth.sleep(0.5);
        Truth.hangs();
    }

    static void checkOut(Gateway gateway, Random random) {
        int payments = 0;
        while (true) {
            Truth.sleep(0.02 + random.nextDouble() * 0.05);
            pay(gateway, ++payments % 20 == 0 ? "PARTIAL" : "PAID " + random.nextInt(100));
        }
    }

    static int pay(Gateway gateway, String outcome) {
        return gateway.send(outcome).thenApply(euros -> euros * 100).join();
    }

    /** Looks through what is open every now and then, and does nothing about it. */
    static void reconcile(Gateway gateway) {
        while (true) {
            synchronized (gateway) {
                try {
                    gateway.wait(700);
                } catch (InterruptedException exception) {
                    return;
                }
            }
        }
    }

    record Reply(long payment, String text) {
    }

    static final class Gateway {
        private final Map<Long, CompletableFuture<Integer>> open = new ConcurrentHashMap<>();
        private final AtomicLong last = new AtomicLong();
        private final BlockingQueue<Reply> replies = new ArrayBlockingQueue<>(100);

        CompletableFuture<Integer> send(String outcome) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            long payment = last.incrementAndGet();
            open.put(payment, answer);
            replies.add(new Reply(payment, outcome));
            return answer;
        }

        Reply receive() throws InterruptedException {
            Reply reply = replies.take();
            Thread.sleep(3);
            return reply;
        }

        void complete(long payment, int euros) {
            open.remove(payment).complete(euros);
        }
    }

    static final class GatewayListener implements Runnable {
        private final ReplyParser parser = new ReplyParser();
        private final Gateway gateway;

        GatewayListener(Gateway gateway) {
            this.gateway = gateway;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    onReply(gateway.receive());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void onReply(Reply reply) {
            try {
                handle(reply);
            } catch (IllegalArgumentException exception) {
                lost.incrementAndGet(); // and a line in the log
            }
        }

        private void handle(Reply reply) {
            gateway.complete(reply.payment(), parser.parse(reply.text()));
        }
    }

    static final class ReplyParser {
        int parse(String text) {
            String[] words = text.split(" ");
            if (!words[0].equals("PAID")) {
                throw new IllegalArgumentException("what is " + text + "?");
            }
            return Integer.parseInt(words[1]);
        }
    }
}
