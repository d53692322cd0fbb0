import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests (virtual threads where the JDK has them) ask a store of keys and values, which has one thread, for a value
 * each; a reader of its own takes the replies off the link and completes what was asked for.
 *
 * Problem: twice a second a janitor asks for all keys that begin with something, and Store.scan takes 140 ms for that,
 * where a value takes some 0.3 ms: all that are asked for meanwhile are behind it. Truth: requests wait for their
 * CompletableFuture because of Store.scan. Measured: when it runs, within the requests' waiting.
 */
final class ScanHoldsUpTheStore {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Command(String key, boolean all, CompletableFuture<Integer> reply) {}

    record Reply(Command command, int value) {}

    static final class Store implements Truth.Step {
        private final BlockingQueue<Command> commands;
        private final BlockingQueue<Reply> replies;

        Store(BlockingQueue<Command> commands, BlockingQueue<Reply> replies) {
            this.commands = commands;
            this.replies = replies;
        }

        @Override
        public void run() throws InterruptedException {
            Command command = commands.take();
            replies.put(new Reply(command, command.all() ? scan(command.key()) : get(command.key())));
        }

        private int get(String key) {
            long from = System.nanoTime();
            Truth.sleep(0.0002);
            DIARY.held(1, from, System.nanoTime());
            return key.length();
        }

        private int scan(String prefix) {
            long from = System.nanoTime();
            int found = 0;
            for (int page = 0; page < 28; page++) {
                Truth.sleep(0.005);
                found += prefix.length();
            }
            DIARY.held(0, from, System.nanoTime());
            return found;
        }
    }

    static final class Client {
        private final BlockingQueue<Command> commands = new LinkedBlockingQueue<>();
        private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();

        Client() {
            Truth.repeat("store", new Store(commands, replies));
            Truth.repeat("link-reader", this::read);
        }

        int ask(String key, boolean all) {
            CompletableFuture<Integer> reply = new CompletableFuture<>();
            commands.add(new Command(key, all, reply));
            return reply.join();
        }

        private void read() throws InterruptedException {
            Reply reply = replies.take();
            reply.command().reply().complete(reply.value());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Client client = new Client();
        AtomicInteger asked = new AtomicInteger();
        for (int i = 1; i <= 12; i++) {
            String key = "basket:" + i;
            Truth.virtual("request-" + i, () -> {
                while (true) {
                    long from = System.nanoTime();
                    client.ask(key, false);
                    DIARY.waited(from, System.nanoTime());
                    asked.incrementAndGet();
                    Truth.sleep(0.025);
                }
            });
        }
        Truth.repeat("janitor", () -> {
            client.ask("session:", true);
            Thread.sleep(360);
        });
        Truth.sleep(seconds);
        System.out.printf("%d asked, waited %.2f s%n", asked.get(), DIARY.waitedSeconds());
        Truth.of("a scan of all keys holds up the store's only thread").object("CompletableFuture")
            .culprit("Store.scan").thread("store").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for their replies").say();
        Runtime.getRuntime().halt(0);
    }
}
