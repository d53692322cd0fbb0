import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stock-keeping for a web shop: ten workers reserve, release and count articles in a ledger whose
 * methods are all synchronized and short (reserving writes a journal line, 1 ms).
 *
 * Problem: every sixtieth reservation of any worker finds its shelf empty and calls
 * Shelves.rebalance deep below, which moves stock between warehouses for 200 ms, all within the
 * ledger's monitor. Holders and victims are the same threads; the site alone makes the
 * difference.
 *
 * Truth: the ledger's monitor and the rebalancing. Measured: when the ledger was held, split by
 * whether the time was spent in the rebalancing, and how long the workers waited for its monitor.
 */
class RebalanceInSynchronizedLedger {
    static final Truth.Diary diary = new Truth.Diary();

    public static void main(String[] args) throws Exception {
        StockLedger ledger = new StockLedger();
        Thread[] workers = new Thread[10];
        long end = System.nanoTime() + (long) (Truth.seconds(args) * 1e9);
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(new OrderWorker(ledger, i, end), "order-worker-" + i);
            workers[i].start();
        }
        Thread mailer = new Thread(() -> {
            synchronized (diary) {
                try {
                    diary.wait();
                } catch (InterruptedException e) {
                    return; // nobody orders a newsletter
                }
            }
        }, "newsletter");
        mailer.start();
        for (Thread worker : workers) {
            worker.join();
        }
        mailer.interrupt();
        Truth.of("every now and then a reservation rebalances the shelves for 200 ms inside of the "
                + "monitor of StockLedger, in Shelves.rebalance, and all other workers wait")
            .object("StockLedger")
            .culprit("Shelves.rebalance", "Shelves.move", "Shelves.take")
            .thread("order-worker-*")
            .victims("order-worker-*")
            .share(diary.share(0), "the workers' waiting for the ledger's monitor")
            .say();
    }
}

class StockLedger {
    private final Shelves shelves = new Shelves();
    private final int[] reserved = new int[100];

    synchronized void reserve(int article, long asked) {
        long got = entered(asked);
        reserved[article]++;
        long moved = shelves.take(article);
        long moving = System.nanoTime() - moved;
        if (moved > 0) {
            RebalanceInSynchronizedLedger.diary.held(1, got, moving);
            RebalanceInSynchronizedLedger.diary.held(0, moving, System.nanoTime());
            got = System.nanoTime();
        }
        Truth.sleep(0.001); // the journal line
        RebalanceInSynchronizedLedger.diary.held(1, got, System.nanoTime());
    }

    synchronized void release(int article, long asked) {
        long got = entered(asked);
        reserved[article]--;
        RebalanceInSynchronizedLedger.diary.held(1, got, System.nanoTime());
    }

    synchronized int count(long asked) {
        long got = entered(asked);
        try {
            return Arrays.stream(reserved).sum();
        } finally {
            RebalanceInSynchronizedLedger.diary.held(1, got, System.nanoTime());
        }
    }

    private static long entered(long asked) {
        long got = System.nanoTime();
        RebalanceInSynchronizedLedger.diary.waited(asked, got);
        return got;
    }
}

class Shelves {
    private final AtomicInteger taken = new AtomicInteger();

    /** How long the shelves had to be moved for it, in nanoseconds. */
    long take(int article) {
        if (taken.incrementAndGet() % 60 != 0) {
            return 0;
        }
        long from = System.nanoTime();
        rebalance(article);
        return System.nanoTime() - from;
    }

    private void rebalance(int article) {
        for (int warehouse = 0; warehouse < 4; warehouse++) {
            move(article, warehouse);
        }
    }

    private void move(int article, int warehouse) {
        Truth.sleep(0.05);
    }
}

class OrderWorker implements Runnable {
    private final StockLedger ledger;
    private final Random random;
    private final long end;

    OrderWorker(StockLedger ledger, int seed, long end) {
        this.ledger = ledger;
        this.random = new Random(seed);
        this.end = end;
    }

    @Override
    public void run() {
        while (System.nanoTime() < end) {
            order();
            Truth.sleep((10 + random.nextInt(30)) / 1e3);
        }
    }

    private void order() {
        int article = random.nextInt(100);
        ledger.reserve(article, System.nanoTime());
        if (random.nextInt(4) == 0) {
            ledger.release(article, System.nanoTime());
        } else if (random.nextInt(10) == 0) {
            ledger.count(System.nanoTime());
        }
    }
}
