import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A nightly load: one thread parses the lines of a large file, which are all there, and puts each record into a queue
 * of 200; five loaders take them, and store each in 3 ms.
 *
 * Problem: a line takes 12 ms of processor time to parse, Parser.parse, and there is one parser for five loaders, so
 * that those have nothing to do most of the time, and the load lasts four times as long as it could. Truth: loaders
 * wait for the LinkedBlockingQueue because of Parser.parse. Measured: parsing, within the loaders' waiting.
 */
final class ParserStarvesTheLoaders {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Parser {
        long parse(long line) {
            long from = System.nanoTime();
            long hash = line;
            while (System.nanoTime() - from < 12_000_000) {
                for (int i = 0; i < 1000; i++) {
                    hash = hash * 31 + (hash >>> 7);
                }
            }
            DIARY.held(0, from, System.nanoTime());
            return hash;
        }
    }

    record Reader(Parser parser, BlockingQueue<Long> records, long[] line) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            records.put(parser.parse(++line[0]));
        }
    }

    record Loader(BlockingQueue<Long> records, long[] sum) implements Truth.Step {
        private void store(long one) {
            Truth.sleep(0.003);
            sum[0] += one;
        }

        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            long one = records.take();
            DIARY.waited(from, System.nanoTime());
            store(one);
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Long> records = new LinkedBlockingQueue<>(200);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("loader-" + i, new Loader(records, new long[1]));
        }
        Truth.repeat("reader", new Reader(new Parser(), records, new long[1]));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one thread parses what five others load").object("LinkedBlockingQueue", "ConditionObject")
            .culprit("Parser.parse").thread("reader").victims("loader-*")
            .share(DIARY.share(0), "the loaders' waiting for a record").say();
    }
}
