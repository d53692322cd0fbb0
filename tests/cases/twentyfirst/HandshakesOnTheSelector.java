import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A hand-made event loop: one thread selects, reads what came by a pipe, and then does what was asked for meanwhile.
 * Eight sessions ask it to seal a message (0.2 ms) and wait for the result.
 *
 * Problem: three times a second somebody new says hello, and Loop.handshake computes keys for 110 ms on the loop's
 * thread. Truth: sessions wait for their CompletableFuture because of Loop.handshake. Measured: when it runs, within
 * the sessions' waiting.
 */
final class HandshakesOnTheSelector {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger SEALED = new AtomicInteger();

    record Request(int message, CompletableFuture<Integer> sealed) {}

    static final class Loop implements Runnable {
        private final Selector selector = Selector.open();
        private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
        private volatile long keys = 1;

        Loop(Pipe hellos) throws IOException {
            hellos.source().configureBlocking(false);
            hellos.source().register(selector, SelectionKey.OP_READ);
        }

        CompletableFuture<Integer> seal(int message) {
            CompletableFuture<Integer> sealed = new CompletableFuture<>();
            requests.add(new Request(message, sealed));
            selector.wakeup();
            return sealed;
        }

        @Override
        public void run() {
            ByteBuffer bytes = ByteBuffer.allocate(64);
            try {
                while (true) {
                    selector.select();
                    Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                    while (ready.hasNext()) {
                        SelectionKey key = ready.next();
                        ready.remove();
                        bytes.clear();
                        int read = ((Pipe.SourceChannel) key.channel()).read(bytes);
                        for (int i = 0; i < read; i++) {
                            handshake();
                        }
                    }
                    for (Request request = requests.poll(); request != null; request = requests.poll()) {
                        answer(request);
                    }
                }
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            }
        }

        private void handshake() {
            long from = System.nanoTime();
            while (System.nanoTime() - from < 110_000_000) {
                keys = keys * 6364136223846793005L + 1442695040888963407L;
            }
            DIARY.held(0, from, System.nanoTime());
        }

        private void answer(Request request) {
            long from = System.nanoTime();
            while (System.nanoTime() - from < 200_000) {
                keys ^= keys << 7 ^ request.message();
            }
            DIARY.held(1, from, System.nanoTime());
            request.sealed().complete((int) keys);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Pipe hellos = Pipe.open();
        Loop loop = new Loop(hellos);
        Truth.start("loop", loop);
        for (int i = 1; i <= 8; i++) {
            int message = i;
            Truth.repeat("session-" + i, () -> {
                long from = System.nanoTime();
                loop.seal(message).get();
                DIARY.waited(from, System.nanoTime());
                SEALED.incrementAndGet();
                Thread.sleep(25);
            });
        }
        Truth.repeat("newcomers", () -> {
            hellos.sink().write(ByteBuffer.wrap(new byte[1]));
            Thread.sleep(330);
        });
        Truth.sleep(seconds);
        System.out.printf("%d sealed, waited %.2f s%n", SEALED.get(), DIARY.waitedSeconds());
        Truth.of("the loop's only thread computes keys for who is new").object("CompletableFuture")
            .culprit("Loop.handshake").thread("loop").victims("session-*")
            .share(DIARY.share(0), "the sessions' waiting for their messages").say();
        Runtime.getRuntime().halt(0);
    }
}
