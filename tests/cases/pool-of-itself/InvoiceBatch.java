import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Request threads order invoices from a billing pool of four. The task that builds an invoice
 * asks the same pool for the sums of its months and waits for them. Two requests at a time go
 * well; from the third second on there are six, all four threads build, and the sums stand behind
 * them in the queue for ever.
 *
 * Problem: InvoiceService.build waits, on a thread of the pool, for tasks of the pool. Truth:
 * stuck, everybody at a FutureTask. Measured: no share, it never ends; HANG is said once nothing
 * moves.
 */
final class InvoiceBatch {
    static final AtomicInteger COLLECTING = new AtomicInteger(), ASKING = new AtomicInteger();
    static final LinkedBlockingQueue<String> LOG = new LinkedBlockingQueue<>();
    static volatile boolean monthsEnd;

    public static void main(String[] arguments) {
        Truth.sayAndHalt(Truth.stuck("tasks of the billing pool wait for tasks of the same pool, "
            + "whose four threads are all taken by those that wait")
            .object("FutureTask")
            .culprit("InvoiceService.build", "InvoiceService.collect")
            .thread("billing-*").victims("http-*", "billing-*").noShare(),
            Truth.seconds(arguments));
        ExecutorService billing = Executors.newFixedThreadPool(4, named("billing-"));
        InvoiceService invoices = new InvoiceService(billing, new LineDao());
        new Thread(InvoiceBatch::log, "log-writer").start();
        ExecutorService mail = Executors.newFixedThreadPool(3, named("mail-"));
        for (int i = 0; i < 3; i++) {
            mail.submit(() -> LOG.offer("mail up"));
        }
        for (int i = 1; i <= 6; i++) {
            new Thread(new RequestHandler(invoices, i), "http-" + i).start();
        }
        Truth.sleep(2);
        monthsEnd = true;
        for (int still = 0; still < 10;) {
            Truth.sleep(0.1);
            still = COLLECTING.get() == 4 && ASKING.get() == 6 ? still + 1 : 0;
        }
        Truth.hangs();
    }

    static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> new Thread(task, prefix + number.incrementAndGet());
    }

    static void log() {
        try {
            for (int lines = 0; lines >= 0; lines += LOG.take().length()) {
                Thread.onSpinWait();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    static final class RequestHandler implements Runnable {
        private final InvoiceService invoices;
        private final Random random;
        private final int number;

        RequestHandler(InvoiceService invoices, int number) {
            this.invoices = invoices;
            this.number = number;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            while (true) {
                Truth.sleep(0.01 + random.nextDouble() * 0.05);
                if (number <= 2 || monthsEnd) {
                    handle(random.nextInt(1000));
                }
            }
        }

        private void handle(int customer) {
            ASKING.incrementAndGet();
            LOG.offer("invoice " + invoices.order(customer));
            ASKING.decrementAndGet();
        }
    }

    record InvoiceService(ExecutorService billing, LineDao lines) {
        long order(int customer) {
            return await(billing.submit(() -> build(customer)));
        }

        private long build(int customer) {
            Truth.sleep(0.015); // the letter head
            List<Future<Long>> months = new ArrayList<>();
            for (int month = 1; month <= 3; month++) {
                int number = month;
                months.add(billing.submit(() -> lines.sum(customer, number)));
            }
            return collect(months);
        }

        private long collect(List<Future<Long>> months) {
            COLLECTING.incrementAndGet();
            long total = 0;
            for (Future<Long> month : months) {
                total += await(month);
            }
            COLLECTING.decrementAndGet();
            return total;
        }

        private static long await(Future<Long> sum) {
            try {
                return sum.get();
            } catch (InterruptedException | ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static final class LineDao {
        long sum(int customer, int month) {
            Truth.sleep(0.004 + customer % 5 * 0.001);
            return (long) customer * month;
        }
    }
}
