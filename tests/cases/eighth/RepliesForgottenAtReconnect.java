import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Remote calls over one link: a caller (a virtual thread where the JDK has them) registers a future under the
 * call's number, sends it, and waits. After a while the link is lost once and is opened anew.
 *
 * Problem: Link.reconnect clears the table of calls in flight without failing them; Link.deliver finds no call
 * for such a reply and drops it in silence. The callers in flight (seven or eight of the eight) wait for ever,
 * who calls later does not. Truth: stuck, because of Link.reconnect, and Link.deliver which drops. Measured: replies dropped.
 */
final class RepliesForgottenAtReconnect {
    static final AtomicInteger DROPPED = new AtomicInteger();

    static final class Link {
        private final ConcurrentHashMap<Long, CompletableFuture<String>> inFlight = new ConcurrentHashMap<>();
        private final LinkedBlockingQueue<Long> wire = new LinkedBlockingQueue<>();
        private final AtomicLong numbers = new AtomicLong();

        CompletableFuture<String> send() {
            long number = numbers.incrementAndGet();
            CompletableFuture<String> reply = new CompletableFuture<>();
            inFlight.put(number, reply);
            wire.add(number);
            return reply;
        }

        void readNext() throws InterruptedException {
            long number = wire.take();
            Thread.sleep(3);
            deliver(number, "ok");
        }

        private void deliver(long number, String body) {
            CompletableFuture<String> reply = inFlight.remove(number);
            if (reply == null) {
                DROPPED.incrementAndGet();
                return;
            }
            reply.complete(body);
        }

        void reconnect() {
            inFlight.clear();
        }
    }

    record Cart(Link link) {
        void shopFor(double pause) {
            while (true) {
                link.send().join();
                Truth.sleep(pause);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Link link = new Link();
        Truth.repeat("link-reader", link::readNext);
        List<Thread> carts = new ArrayList<>();
        Cart cart = new Cart(link);
        for (int i = 1; i <= 8; i++) {
            carts.add(Truth.virtual("cart-" + i, () -> cart.shopFor(0)));
        }
        Truth.repeat("link-guard", () -> {
            Thread.sleep(1500);
            link.reconnect();
            Thread.sleep(1_000_000);
        });
        Truth.sleep(1.8);
        Truth.virtual("probe", () -> cart.shopFor(0.2)); // is served, before and after
        Truth.hangsOnce(carts);
        Truth.sayAndHalt(Truth.stuck("calls in flight are forgotten when the link is opened anew")
            .object("CompletableFuture", "Signaller").culprit("Link.reconnect", "Link.deliver")
            .thread("link-guard", "link-reader").victims("cart-*").noShare(), seconds - 1.8);
        Truth.sleep(seconds - 2);
        System.out.println(DROPPED.get() + " replies dropped");
        Truth.sleep(seconds); // until the end is said
    }
}
