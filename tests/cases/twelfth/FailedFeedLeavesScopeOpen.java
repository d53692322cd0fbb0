import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Phaser;

/**
 * Five threads export customers' files. For each export three tasks run in a scope, on threads of their own (virtual
 * where the JDK has them): a feed that reads pages, and two that write them; the export waits for the scope to end.
 *
 * Problem: PageFeed.read fails for a customer without an address, of whom there are some since the second second, and
 * PageFeed.run then does not send the word for the end. Both writers wait for pages, and the export for them. Truth:
 * stuck, exports wait for a Phaser because of PageFeed.read (or run).
 */
final class FailedFeedLeavesScopeOpen {
    private static final String END = "";

    interface Task {
        void run() throws InterruptedException;
    }

    static final class Scope {
        private final Phaser running = new Phaser(1);

        void fork(String name, Task task) {
            running.register();
            Truth.virtual(name, () -> {
                try {
                    task.run();
                } catch (InterruptedException | IllegalStateException exception) {
                    Thread.currentThread().interrupt();
                } finally {
                    running.arriveAndDeregister();
                }
            });
        }

        void join() {
            running.arriveAndAwaitAdvance();
        }
    }

    static final class PageFeed implements Task {
        private final BlockingQueue<String> pages;
        private final int customer;
        private final boolean addressIsMissing;

        PageFeed(BlockingQueue<String> pages, int customer, boolean addressIsMissing) {
            this.pages = pages;
            this.customer = customer;
            this.addressIsMissing = addressIsMissing;
        }

        @Override
        public void run() throws InterruptedException {
            for (int number = 0; number < 8; number++) {
                pages.put(read(number));
            }
            pages.put(END);
            pages.put(END);
        }

        private String read(int number) throws InterruptedException {
            Thread.sleep(2);
            if (addressIsMissing && number == 5) {
                throw new IllegalStateException("no address of customer " + customer);
            }
            return "page " + number + " of " + customer;
        }
    }

    static final class PartWriter implements Task {
        private final BlockingQueue<String> pages;
        private int written;

        PartWriter(BlockingQueue<String> pages) {
            this.pages = pages;
        }

        @Override
        public void run() throws InterruptedException {
            for (String page = pages.take(); !page.equals(END); page = pages.take()) {
                Thread.sleep(1);
                written += page.length();
            }
        }
    }

    static final class Export {
        void write(int customer, boolean addressIsMissing) {
            BlockingQueue<String> pages = new ArrayBlockingQueue<>(4);
            Scope scope = new Scope();
            scope.fork("feed", new PageFeed(pages, customer, addressIsMissing));
            scope.fork("part-1", new PartWriter(pages));
            scope.fork("part-2", new PartWriter(pages));
            scope.join();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Export export = new Export();
        long later = System.nanoTime() + 1_100_000_000L;
        List<Thread> exports = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            int first = i;
            Thread thread = new Thread(() -> {
                for (int customer = first; customer > 0; customer++) {
                    export.write(customer, customer % 6 == 0 && System.nanoTime() > later);
                    Truth.sleep(0.01);
                }
            }, "export-" + i);
            thread.setDaemon(true);
            thread.start();
            exports.add(thread);
        }
        Truth.hangsOnce(exports);
        Truth.sayAndHalt(Truth.stuck("a feed that failed did not say so to those who wait for pages")
            .object("Phaser", "QNode", "ArrayBlockingQueue", "ConditionObject").culprit("PageFeed.run", "PageFeed.read")
            .thread("feed").victims("export-*", "part-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
