import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;

/**
 * A book of exchange rates behind a StampedLock: quotes read it optimistically and take the read lock only if that
 * fails; an importer writes new rates.
 *
 * Problem: a correction looks the old rate up by the very method that quotes use, while it has the write lock, which
 * is not reentrant. Truth: stuck, because of RateBook.correct.
 */
final class StampTakenTwice {
    static final class RateBook {
        private final StampedLock lock = new StampedLock();
        private final Map<String, Double> rates = new HashMap<>();

        double find(String pair) {
            long stamp = lock.tryOptimisticRead();
            Double rate = stamp == 0 ? null : rates.get(pair);
            if (stamp == 0 || !lock.validate(stamp)) {
                stamp = lock.readLock();
                try {
                    rate = rates.get(pair);
                } finally {
                    lock.unlockRead(stamp);
                }
            }
            return rate == null ? 1 : rate;
        }

        void set(String pair, double rate) {
            long stamp = lock.writeLock();
            try {
                rates.put(pair, rate);
                Truth.sleep(0.002);
            } finally {
                lock.unlockWrite(stamp);
            }
        }

        void correct(String pair, double factor) {
            long stamp = lock.writeLock();
            try {
                rates.put(pair, find(pair) * factor);
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    static final class Quotes {
        private final RateBook book;
        private double sum;

        Quotes(RateBook book) {
            this.book = book;
        }

        void run() {
            while (true) {
                sum += book.find("eur-usd");
                Truth.sleep(0.004);
            }
        }
    }

    static final class Importer {
        private final RateBook book;
        private volatile boolean correction;

        Importer(RateBook book) {
            this.book = book;
        }

        void run() {
            for (int i = 0; true; i++) {
                if (correction) {
                    book.correct("eur-usd", 1.01);
                } else {
                    book.set(i % 2 == 0 ? "eur-usd" : "eur-gbp", 1 + i % 10 / 100.0);
                }
                Truth.sleep(0.02);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        RateBook book = new RateBook();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            all.add(Truth.start("quote-" + i, new Quotes(book)::run));
        }
        Importer importer = new Importer(book);
        all.add(Truth.start("importer", importer::run));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("a thread that has the write lock asks for the read lock, which is not reentrant")
            .object("StampedLock").culprit("RateBook.correct").thread("importer").victims("quote-*").noShare(),
            seconds);
        Truth.sleep(1.2);
        importer.correction = true;
        Truth.sleep(seconds);
    }
}
