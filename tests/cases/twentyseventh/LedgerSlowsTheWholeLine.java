import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A line of four stages with queues of twenty between them: three scanners scan (1 ms), two parsers parse (1 ms), two
 * clerks check (1 ms), and one thread posts to the ledger.
 *
 * Problem: Ledger.post takes 9 ms, so that all queues are full. Truth: scanners wait for room in the first queue because
 * of Ledger.post, three queues away. Measured: posting, checking and parsing, within the scanners' waiting.
 */
final class LedgerSlowsTheWholeLine {
    static final Truth.Diary DIARY = new Truth.Diary();

    static int work(int who, double seconds, int value) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        return value + 1;
    }

    static final class Parser {
        int parse(int scan) {
            return work(1, 0.001, scan);
        }
    }

    static final class Clerk {
        int check(int slip) {
            return work(2, 0.001, slip);
        }
    }

    static final class Ledger {
        int post(int slip) {
            return work(0, 0.009, slip);
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Integer> scans = new ArrayBlockingQueue<>(20);
        BlockingQueue<Integer> slips = new ArrayBlockingQueue<>(20);
        BlockingQueue<Integer> checked = new ArrayBlockingQueue<>(20);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("scanner-" + i, () -> {
                Thread.sleep(1);
                long from = System.nanoTime();
                scans.put(1);
                DIARY.waited(from, System.nanoTime());
            });
        }
        Parser parser = new Parser();
        Clerk clerk = new Clerk();
        Ledger ledger = new Ledger();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("parser-" + i, () -> slips.put(parser.parse(scans.take())));
            Truth.repeat("clerk-" + i, () -> checked.put(clerk.check(slips.take())));
        }
        Truth.repeat("ledger", () -> ledger.post(checked.take()));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the last stage is slow, and all queues before it are full").object("ConditionObject",
            "ArrayBlockingQueue").culprit("Ledger.post").thread("ledger").victims("scanner-*")
            .share(DIARY.share(0), "the scanners' waiting for room").say();
    }
}
