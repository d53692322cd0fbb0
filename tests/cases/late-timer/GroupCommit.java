import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Writers hand their rows to a batch and wait until it is committed. A scheduler of one thread
 * commits every 20 ms. The same thread sweeps old files three times in two seconds, which takes
 * 350 to 550 ms, and all commits of that time are late.
 *
 * Problem: FileSweeper.deleteAged runs on the scheduler's only thread. Truth: the writers wait
 * for CompletableFutures because of it. Measured: when the scheduler swept, when it committed and
 * when it rested until the next commit was due, within the writers' waits.
 */
final class GroupCommit {
    private static final int SWEEP = 0, COMMIT = 1, REST = 2;
    private static final Truth.Diary DIARY = new Truth.Diary();
    private static volatile boolean stopped;

    private final List<CompletableFuture<Long>> batch = new ArrayList<>();
    private long rested = System.nanoTime();

    public static void main(String[] arguments) {
        GroupCommit log = new GroupCommit();
        FileSweeper sweeper = new FileSweeper();
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, work ->
            daemon(work, "scheduler-1"));
        scheduler.scheduleWithFixedDelay(() -> log.timed(COMMIT, log::commit), 20, 20,
            TimeUnit.MILLISECONDS);
        scheduler.scheduleWithFixedDelay(() -> log.timed(SWEEP, sweeper::sweep), 200, 250,
            TimeUnit.MILLISECONDS);
        ExecutorService readers = Executors.newCachedThreadPool(work -> daemon(work, "reader"));
        readers.execute(() -> Truth.sleep(0.01));
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            daemon(() -> write(log, random), "writer-" + i).start();
        }
        Truth.run(arguments, () -> stopped = true, 1);
        scheduler.shutdown();
        Truth.of("the scheduler's only thread sweeps files for half a second, so commits that are "
            + "due every 20 ms come late")
            .object("CompletableFuture", "Signaller")
            .culprit("FileSweeper.deleteAged", "FileSweeper.sweep", "FileSweeper.delete")
            .thread("scheduler-*").victims("writer-*")
            .share(DIARY.share(SWEEP), "the writers' waiting for their commit").say();
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private static void write(GroupCommit log, Random random) {
        while (!stopped) {
            Truth.sleep(0.002 + random.nextDouble() * 0.01);
            log.append(random.nextLong());
        }
    }

    private long append(long row) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        synchronized (batch) {
            batch.add(done);
        }
        return await(done) ^ row;
    }

    private static long await(CompletableFuture<Long> done) {
        long from = System.nanoTime();
        try {
            return done.join();
        } finally {
            DIARY.waited(from, System.nanoTime());
        }
    }

    private void commit() {
        List<CompletableFuture<Long>> mine;
        synchronized (batch) {
            mine = new ArrayList<>(batch);
            batch.clear();
        }
        Truth.sleep(0.001);
        mine.forEach(done -> done.complete(System.currentTimeMillis()));
    }

    /** Only the scheduler's thread is in here. */
    private void timed(int what, Runnable work) {
        long from = System.nanoTime();
        DIARY.held(REST, rested, from);
        work.run();
        rested = System.nanoTime();
        DIARY.held(what, from, rested);
    }

    private static final class FileSweeper {
        private final Random random = new Random(12);

        void sweep() {
            deleteAged("/var/spool/orders", 35 + random.nextInt(20));
        }

        private void deleteAged(String folder, int files) {
            for (int i = 0; i < files; i++) {
                delete(folder + "/" + i);
            }
        }

        private void delete(String file) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException exception) {
                throw new IllegalStateException(file, exception);
            }
        }
    }
}
