import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Seven handlers have their work done by a pool of two workers, 3 ms each, and await it. The pool counts what it did,
 * in beforeExecute and afterExecute, as its documentation proposes.
 *
 * Problem: afterExecute sends the counts to a far collector, 12 ms. Whose task it was has the answer by then; the
 * others, whose tasks are queued, have not. Truth: handlers wait for their futures because of Collector.push.
 * Measured: while queued, what the workers did; while a task of one's own runs, the task.
 */
final class MetricsPushedAfterEachTask {
    static final Truth.Diary QUEUED = new Truth.Diary();
    static final LongAdder RAN = new LongAdder();

    record Collector(String host) {
        void push(long tasks) {
            long from = System.nanoTime();
            Truth.sleep(tasks < 0 ? 0 : 0.012);
            QUEUED.held(0, from, System.nanoTime());
        }
    }

    static final class MeteredPool extends ThreadPoolExecutor {
        private final Collector collector;
        private final LongAdder tasks = new LongAdder();

        MeteredPool(int workers, Collector collector) {
            super(workers, workers, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
            this.collector = collector;
            int[] number = {0};
            setThreadFactory(work -> Truth.daemon("worker-" + ++number[0], work));
        }

        @Override
        protected void afterExecute(Runnable task, Throwable thrown) {
            super.afterExecute(task, thrown);
            tasks.increment();
            collector.push(tasks.sum());
        }
    }

    record Render(String page, long submitted) implements Callable<String> {
        @Override
        public String call() {
            long from = System.nanoTime();
            QUEUED.waited(submitted, from);
            Truth.sleep(0.003);
            long to = System.nanoTime();
            QUEUED.held(1, from, to);
            RAN.add(to - from);
            return "<" + page + ">";
        }
    }

    record Handler(MeteredPool pool, ConcurrentLinkedQueue<String> sent) {
        void handle(String page) throws Exception {
            sent.add(pool.submit(new Render(page, System.nanoTime())).get());
            if (sent.size() > 1000) {
                sent.clear();
            }
        }
    }

    public static void main(String[] arguments) {
        Handler handler = new Handler(new MeteredPool(2, new Collector("far")), new ConcurrentLinkedQueue<>());
        for (int i = 1; i <= 7; i++) {
            String page = "page " + i;
            Truth.repeat("handler-" + i, () -> {
                handler.handle(page);
                Thread.sleep(15);
            });
        }
        QUEUED.fill(Truth.seconds(arguments));
        double queued = QUEUED.waitedSeconds(), ran = RAN.sum() / 1e9;
        System.out.printf("queued %.2f s, ran %.2f s%n", queued, ran);
        Truth.of("the workers of a pool send its counts to a far collector after each task").object("FutureTask")
            .culprit("Collector.push", "MeteredPool.afterExecute").thread("worker-*").victims("handler-*")
            .share(QUEUED.share(0) * queued / (queued + ran), "the handlers' waiting for their tasks").say();
    }
}
