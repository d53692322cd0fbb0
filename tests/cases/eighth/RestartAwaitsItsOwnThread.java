import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A printer's jobs run one after another on an executor of one thread; clerks wait for theirs. Maintenance
 * restarts the printer now and then, and is such a job too, so that it does not come in the middle of one.
 *
 * Problem: Maintenance.restart shuts the executor down and awaits its end, on the executor's own thread. What was
 * queued behind it is never printed; who comes later is refused and comes again. Truth: the clerks are stuck because of Maintenance.restart.
 */
final class RestartAwaitsItsOwnThread {
    static final class Printer {
        private volatile ExecutorService jobs = newJobs();

        private static ExecutorService newJobs() {
            return Executors.newSingleThreadExecutor(work -> {
                Thread thread = new Thread(work, "printer");
                thread.setDaemon(true);
                return thread;
            });
        }

        int print(Callable<Integer> job) throws Exception {
            return jobs.submit(job).get();
        }

        void later(Runnable job) {
            jobs.execute(job);
        }

        void renew() throws InterruptedException {
            jobs.shutdown();
            jobs.awaitTermination(1, TimeUnit.HOURS);
            jobs = newJobs();
        }
    }

    record Maintenance(Printer printer) {
        void restart() {
            try {
                printer.renew();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Clerk {
        private final Printer printer;
        private int pages;

        Clerk(Printer printer) {
            this.printer = printer;
        }

        void letter() {
            try {
                while (true) {
                    pages += printOnce();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }

        private int printOnce() throws Exception {
            try {
                return printer.print(this::draw);
            } catch (RejectedExecutionException exception) {
                Truth.sleep(0.2); // a new printer will come
                return 0;
            }
        }

        private int draw() {
            Truth.sleep(0.006);
            return 2;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Printer printer = new Printer();
        for (int i = 1; i <= 5; i++) {
            Thread thread = new Thread(new Clerk(printer)::letter, "clerk-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Truth.sayAndHalt(Truth.stuck("an executor's own thread awaits the executor's end")
            .object("FutureTask", "ConditionObject", "ThreadPoolExecutor")
            .culprit("Maintenance.restart", "Printer.renew").thread("printer").victims("clerk-*", "printer")
            .noShare(), seconds);
        Truth.sleep(1.5);
        printer.later(new Maintenance(printer)::restart);
        Truth.sleep(0.5);
        Truth.hangs();
        Truth.sleep(seconds);
    }
}
