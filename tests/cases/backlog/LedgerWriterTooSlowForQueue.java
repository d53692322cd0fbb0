import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Six intake threads accept payments and put them into an ArrayBlockingQueue of 64. One writer
 * takes them out, decodes each (2 ms) and persists it.
 *
 * Problem: LedgerStore.persist takes 10 to 16 ms, so the writer manages 70 payments a second,
 * while intakes bring more than 500; the queue is always full and intakes wait in put.
 *
 * Truth: the queue's condition, the persisting, the writer. Measured: what the writer does, from
 * when to when, and how long the intakes' puts take.
 */
class LedgerWriterTooSlowForQueue {
    static final int PERSIST = 0, ELSE = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Payment> queue = new ArrayBlockingQueue<>(64);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            threads.add(new Thread(new PaymentIntake(queue, i), "intake-" + i));
        }
        threads.add(new Thread(new LedgerWriter(queue), "ledger-writer"));
        threads.forEach(Thread::start);
        ScheduledExecutorService gauge = Executors.newScheduledThreadPool(1);
        gauge.scheduleAtFixedRate(queue::size, 0, 100, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(args));
        gauge.shutdown();
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.of("the payment queue is always full, for LedgerStore.persist keeps the only "
                + "writer busy for 13 ms a payment; intakes wait in put")
            .object("ConditionObject", "ArrayBlockingQueue")
            .culprit("LedgerStore.persist", "LedgerWriter.run", "LedgerWriter.write")
            .thread("ledger-writer")
            .victims("intake-*")
            .share(DIARY.share(PERSIST), "the intakes' waiting for room in the queue")
            .say();
    }
}

class Payment {
    final int cents;

    Payment(int cents) {
        this.cents = cents;
    }
}

class PaymentIntake implements Runnable {
    private final BlockingQueue<Payment> queue;
    private final Random random;

    PaymentIntake(BlockingQueue<Payment> queue, int seed) {
        this.queue = queue;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        try {
            while (true) {
                accept(new Payment(random.nextInt(100_000)));
                Thread.sleep(5 + random.nextInt(10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(Payment payment) throws InterruptedException {
        long asked = System.nanoTime();
        try {
            queue.put(payment);
        } finally {
            LedgerWriterTooSlowForQueue.DIARY.waited(asked, System.nanoTime());
        }
    }
}

class LedgerWriter implements Runnable {
    private final BlockingQueue<Payment> queue;
    private final LedgerStore store = new LedgerStore();

    LedgerWriter(BlockingQueue<Payment> queue) {
        this.queue = queue;
    }

    @Override
    public void run() {
        try {
            while (true) {
                write();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() throws InterruptedException {
        long from = System.nanoTime();
        byte[] line = decode(queue.take());
        long decoded = System.nanoTime();
        store.persist(line);
        LedgerWriterTooSlowForQueue.DIARY.held(LedgerWriterTooSlowForQueue.ELSE, from, decoded);
        LedgerWriterTooSlowForQueue.DIARY.held(LedgerWriterTooSlowForQueue.PERSIST, decoded,
            System.nanoTime());
    }

    private static byte[] decode(Payment payment) throws InterruptedException {
        Thread.sleep(2);
        return Integer.toString(payment.cents).getBytes();
    }
}

class LedgerStore {
    private long bytes;

    void persist(byte[] line) throws InterruptedException {
        Thread.sleep(10 + line.length % 7);
        bytes += line.length;
    }
}
