import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Twelve order threads draw numbers from one sequence, thirty for each order. Drawing takes some
 * ten microseconds; the sequence's lock is fair.
 *
 * Problem: with a fair lock nobody may overtake, so each single number costs a hand-over from
 * thread to thread with a wake-up, which takes longer than the drawing. All twelve march in step,
 * and wait for nearly all of their time. An unfair lock or a block of numbers would make that
 * vanish.
 *
 * Truth: the lock, the drawing (OrderSequence.next). Measured: who had or was about to get the
 * lock (the hand-over counts as its receiver's) and the waits of the order threads.
 */
class FairLockConvoyOnSequence {
    public static void main(String[] args) throws InterruptedException {
        OrderSequence sequence = new OrderSequence();
        List<OrderImport> imports = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            imports.add(new OrderImport(sequence, i));
        }
        imports.forEach(Thread::start);
        long end = System.nanoTime() + (long) (Truth.seconds(args) * 1e9);
        while (System.nanoTime() < end) {
            Thread.sleep(20);
            sequence.current(); // what the dashboard shows
        }
        for (OrderImport each : imports) {
            each.finish();
        }
        Truth.of("OrderSequence.next takes a fair lock for each single number, so that twelve "
                + "threads form a convoy and hand-overs take more time than the work")
            .object("ReentrantLock")
            .culprit("OrderSequence.next", "OrderSequence.draw", "OrderImport.numberLines")
            .thread("order-import-*")
            .victims("order-import-*")
            .share(sequence.diary.share(0), "the order threads' waiting with hand-overs")
            .say();
    }
}

class OrderSequence {
    final Truth.Diary diary = new Truth.Diary();
    private final ReentrantLock lock = new ReentrantLock(true);
    private long value = 17, freedAt = System.nanoTime();

    long next() {
        long asked = System.nanoTime();
        lock.lock();
        try {
            diary.waited(asked, System.nanoTime());
            return draw();
        } finally {
            unlock(0);
        }
    }

    long current() {
        lock.lock();
        try {
            return value;
        } finally {
            unlock(1);
        }
    }

    private long draw() {
        for (int i = 0; i < 2000; i++) { // check digits
            value = value * 6364136223846793005L + 1442695040888963407L;
        }
        return value;
    }

    private void unlock(int who) {
        long now = System.nanoTime();
        diary.held(who, freedAt, now);
        freedAt = now;
        lock.unlock();
    }
}

class OrderImport extends Thread {
    private final OrderSequence sequence;
    private final Random random;
    private volatile boolean finished;

    OrderImport(OrderSequence sequence, int number) {
        super("order-import-" + number);
        this.sequence = sequence;
        this.random = new Random(number);
    }

    @Override
    public void run() {
        while (!finished) {
            numberLines(new long[30]);
            Truth.sleep((1 + random.nextInt(4)) / 1e3);
        }
    }

    private void numberLines(long[] lines) {
        for (int i = 0; i < lines.length; i++) {
            lines[i] = sequence.next();
        }
    }

    void finish() throws InterruptedException {
        finished = true;
        join();
    }
}
