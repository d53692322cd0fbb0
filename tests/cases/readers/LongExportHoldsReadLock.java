import static java.lang.System.nanoTime;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A price service. Twelve http threads look prices up, two feeds write new ones, and every 400 ms
 * an export walks over the whole book.
 *
 * Problem: the export keeps the read lock for the whole walk (about 300 ms, for it flushes to a
 * slow client meanwhile). A feed that wants to write waits for it, and behind the waiting writer
 * every reader waits as well, although readers do not exclude each other.
 *
 * Truth: the lock, PriceBook.export, and what it costs http threads and feeds. Measured: who held
 * the lock, in which mode, from when to when, and each wait of http threads and feeds.
 */
class LongExportHoldsReadLock {
    static final int EXPORT = 0, LOOKUP = 1, UPDATE = 2;
    static final Truth.Diary DIARY = new Truth.Diary();
    static volatile boolean closing;

    public static void main(String[] args) throws Exception {
        PriceBook book = new PriceBook();
        for (int i = 0; i < 500; i++) {
            book.update("FUND" + i, 100 + i);
        }
        for (int i = 1; i <= 12; i++) {
            start("http-" + i, new QuoteController(book, i)::serve);
        }
        for (int i = 1; i <= 2; i++) {
            start("feed-" + i, new FeedHandler(book, i)::listen);
        }
        start("export-1", () -> {
            while (!closing) {
                book.export(new SlowClient());
                Thread.sleep(100);
            }
        });
        ScheduledExecutorService timer =
            Executors.newScheduledThreadPool(2, task -> Truth.daemon("timer", task));
        timer.scheduleAtFixedRate(() -> { }, 100, 250, TimeUnit.MILLISECONDS);

        Truth.sleep(Truth.seconds(args));
        closing = true;
        Truth.of("PriceBook.export keeps the read lock for 300 ms at a time; feeds wait "
                + "for it to write, and all lookups queue behind the waiting feeds")
            .object("ReentrantReadWriteLock")
            .culprit("PriceBook.export", "SlowClient.flush")
            .thread("export-*")
            .victims("http-*", "feed-*")
            .share(DIARY.share(EXPORT), "the waiting of http and feed threads for the book's lock")
            .say();
    }

    interface Work {
        void run() throws InterruptedException;
    }

    static void start(String name, Work work) {
        Truth.daemon(name, () -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }).start();
    }
}

final class PriceBook {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<String, Double> prices = new HashMap<>();

    double price(String fund) {
        long asked = nanoTime();
        lock.readLock().lock();
        long got = nanoTime();
        try {
            return prices.getOrDefault(fund, 0.0);
        } finally {
            LongExportHoldsReadLock.DIARY.waited(asked, got);
            LongExportHoldsReadLock.DIARY.held(LongExportHoldsReadLock.LOOKUP, got, nanoTime());
            lock.readLock().unlock();
        }
    }

    void update(String fund, double price) {
        long asked = nanoTime();
        lock.writeLock().lock();
        long got = nanoTime();
        try {
            prices.put(fund, price);
        } finally {
            LongExportHoldsReadLock.DIARY.waited(asked, got);
            LongExportHoldsReadLock.DIARY.held(LongExportHoldsReadLock.UPDATE, got, nanoTime());
            lock.writeLock().unlock();
        }
    }

    void export(SlowClient client) throws InterruptedException {
        lock.readLock().lock();
        long got = nanoTime();
        try {
            int rows = 0;
            for (Map.Entry<String, Double> row : prices.entrySet()) {
                client.append(row.getKey() + ";" + row.getValue());
                if (++rows % 50 == 0) {
                    client.flush();
                }
            }
        } finally {
            LongExportHoldsReadLock.DIARY.held(LongExportHoldsReadLock.EXPORT, got, nanoTime());
            lock.readLock().unlock();
        }
    }
}

final class SlowClient {
    private final StringBuilder buffer = new StringBuilder();

    void append(String line) {
        buffer.append(line).append('\n');
    }

    void flush() throws InterruptedException {
        Thread.sleep(30);
        buffer.setLength(0);
    }
}

final class QuoteController {
    private final PriceBook book;
    private final Random random;

    QuoteController(PriceBook book, int seed) {
        this.book = book;
        this.random = new Random(seed);
    }

    void serve() throws InterruptedException {
        while (!LongExportHoldsReadLock.closing) {
            quote("FUND" + random.nextInt(500));
            Thread.sleep(5 + random.nextInt(15));
        }
    }

    private double quote(String fund) {
        return Math.round(book.price(fund) * 100) / 100.0;
    }
}

final class FeedHandler {
    private final PriceBook book;
    private final Random random;

    FeedHandler(PriceBook book, int seed) {
        this.book = book;
        this.random = new Random(100 + seed);
    }

    void listen() throws InterruptedException {
        while (!LongExportHoldsReadLock.closing) {
            Thread.sleep(10 + random.nextInt(30));
            onTick("FUND" + random.nextInt(500));
        }
    }

    private void onTick(String fund) {
        book.update(fund, 90 + random.nextDouble() * 20);
    }
}
