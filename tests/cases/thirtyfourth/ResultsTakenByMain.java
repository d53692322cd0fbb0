import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * A nightly export: six fetchers get orders (12 ms each) and hand each over to main(), which writes them to a file.
 *
 * Problem: main() is the only writer. Every tenth order it starts a new part and uploads the last one, PartUpload.send,
 * 60 ms; a line takes it 3 ms, OrderFile.append. Truth: fetchers wait at the SynchronousQueue because of
 * PartUpload.send. Measured: the part of the waiting to hand over during which a part is uploaded.
 */
final class ResultsTakenByMain {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Order(int number) {
    }

    static final class PartUpload {
        private int parts;

        void send(StringBuilder part) {
            long from = System.nanoTime();
            Truth.sleep(0.060);
            part.setLength(0);
            parts++;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class OrderFile {
        private final StringBuilder part = new StringBuilder();
        private final PartUpload upload = new PartUpload();
        private int lines;

        void append(Order order) {
            long from = System.nanoTime();
            part.append(order.number()).append('\n');
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            if (++lines % 10 == 0) {
                upload.send(part);
            }
        }
    }

    static final class Fetcher implements Truth.Step {
        private final BlockingQueue<Order> results;
        private int number;

        Fetcher(BlockingQueue<Order> results) {
            this.results = results;
        }

        @Override
        public void run() throws Exception {
            Order order = fetch();
            long from = System.nanoTime();
            results.put(order);
            DIARY.waited(from, System.nanoTime());
        }

        private Order fetch() throws InterruptedException {
            Thread.sleep(12);
            return new Order(++number);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        BlockingQueue<Order> results = new SynchronousQueue<>();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("fetcher-" + i, new Fetcher(results));
        }
        OrderFile file = new OrderFile();
        long end = System.nanoTime() + (long) (Truth.seconds(arguments) * 1e9);
        while (System.nanoTime() < end) {
            Order order = results.poll(1, TimeUnit.SECONDS);
            if (order != null) {
                file.append(order);
            }
        }
        System.out.printf("waited %.2f s in all%n", DIARY.waitedSeconds());
        Truth.of("who takes the results uploads them, too").object("SynchronousQueue", "TransferStack", "LinkedTransferQueue")
            .culprit("PartUpload.send").thread("main").victims("fetcher-*")
            .share(DIARY.share(0), "the fetchers' waiting to hand over").say();
    }
}
