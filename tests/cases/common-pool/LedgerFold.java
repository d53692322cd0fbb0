import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three closing threads fold ledgers of 64 accounts with a RecursiveTask in the common pool
 * (three workers); an account takes 1 ms. Each posting goes through an audit trail that, at each
 * 40th line, sends its page away and blocks for 180 ms, in whatever thread that happens to be.
 *
 * Problem: AuditTrail.sendPage blocks in a task of the common pool. Truth: the closing threads
 * wait for FoldTasks because of it. Measured: a closing thread waits when it is in invoke and
 * folds no account itself; which accounts of its ledger were stuck in the audit trail meanwhile.
 */
final class LedgerFold {
    static final int AUDIT = 0, POST = 1;
    static final ThreadLocal<Closing> CLOSING = new ThreadLocal<>();
    static final AuditTrail TRAIL = new AuditTrail();
    static volatile boolean stopped;

    public static void main(String[] arguments) throws InterruptedException {
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "3");
        Closing[] closings = new Closing[3];
        Thread[] threads = new Thread[closings.length];
        for (int i = 0; i < closings.length; i++) {
            closings[i] = new Closing(new Random(60 + i));
            threads[i] = new Thread(closings[i], "closing-" + (i + 1));
            threads[i].start();
        }
        Thread archive = new Thread(TRAIL::archive, "archive");
        archive.setDaemon(true);
        archive.start();
        Truth.sleep(Truth.seconds(arguments));
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        double waited = 0, audit = 0;
        for (Closing closing : closings) {
            double seconds = closing.diary.waitedSeconds();
            waited += seconds;
            audit += seconds * closing.diary.share(AUDIT);
        }
        Truth.of("the audit trail sends its full pages from within fork/join tasks and so blocks "
            + "the workers that a ledger's fold waits for")
            .object("FoldTask", "RecursiveTask", "ForkJoinTask")
            .culprit("AuditTrail.sendPage", "AuditTrail.append", "FoldTask.post")
            .thread("ForkJoinPool.commonPool-worker-*", "closing-*").victims("closing-*")
            .share(audit / waited, "the closing threads' waiting inside the fold").say();
    }

    static final class Closing implements Runnable {
        final Truth.Diary diary = new Truth.Diary();
        private final Random random;
        private long free;

        Closing(Random random) {
            this.random = random;
        }

        @Override
        public void run() {
            CLOSING.set(this);
            while (!stopped) {
                closeBooks(1 + random.nextInt(90));
                Truth.sleep(0.01 * random.nextDouble());
            }
        }

        private long closeBooks(int ledger) {
            free = System.nanoTime();
            long sum = ForkJoinPool.commonPool().invoke(new FoldTask(this, ledger, 0, 64));
            pauseEnds(System.nanoTime());
            return sum;
        }

        void pauseEnds(long now) {
            if (now - free > 100_000) {
                diary.waited(free, now);
            }
        }

        void pauseBegins(long now) {
            free = now;
        }
    }

    static final class FoldTask extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;
        private final transient Closing closing;
        private final int ledger, from, to;

        FoldTask(Closing closing, int ledger, int from, int to) {
            this.closing = closing;
            this.ledger = ledger;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            return to - from <= 4 ? leaf() : split((from + to) / 2);
        }

        private long split(int middle) {
            FoldTask left = new FoldTask(closing, ledger, from, middle);
            left.fork();
            return new FoldTask(closing, ledger, middle, to).compute() + left.join();
        }

        private long leaf() {
            Closing self = CLOSING.get();
            if (self != null) {
                self.pauseEnds(System.nanoTime());
            }
            long sum = 0;
            for (int account = from; account < to; account++) {
                sum += post(account);
            }
            if (self != null) {
                self.pauseBegins(System.nanoTime());
            }
            return sum;
        }

        private long post(int account) {
            long start = System.nanoTime();
            Truth.sleep(0.001);
            long posted = System.nanoTime();
            TRAIL.append(ledger + "/" + account);
            closing.diary.held(POST, start, posted);
            closing.diary.held(AUDIT, posted, System.nanoTime());
            return (long) ledger * account;
        }
    }

    static final class AuditTrail {
        private final AtomicInteger lines = new AtomicInteger();
        private final LinkedBlockingDeque<String> pages = new LinkedBlockingDeque<>();

        void append(String line) {
            if (lines.incrementAndGet() % 40 == 0) {
                sendPage(line);
            }
        }

        private void sendPage(String last) {
            try {
                Thread.sleep(180);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            pages.offer(last);
        }

        void archive() {
            try {
                while (!pages.takeFirst().isEmpty()) {
                    Thread.sleep(2);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
