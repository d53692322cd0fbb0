import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * An auction of rounds: eight bidders (virtual threads where the JDK has them) look at the price, think for up to 5 ms,
 * bid and wait at a Phaser for the next round, which an auctioneer opens every 200 ms by the clock. Two screens read
 * the price under a StampedLock, optimistically first; a bid takes the write lock for some microseconds. A price list
 * is written by a scheduler of six threads once a second, of which five have nothing to do.
 *
 * Problem: none: rounds take as long as they are to take. Truth: healthy. Measured: how late rounds are opened, and the
 * time for which bidders wait for the lock.
 */
final class AuctionRoundsHealthy {
    static final class Lot {
        private final StampedLock lock = new StampedLock();
        private final AtomicLong locked = new AtomicLong();
        private long price = 100;

        void bid(long amount) {
            long from = System.nanoTime();
            long stamp = lock.writeLock();
            try {
                locked.addAndGet(System.nanoTime() - from);
                price += amount;
            } finally {
                lock.unlockWrite(stamp);
            }
        }

        long price() {
            long stamp = lock.tryOptimisticRead();
            long seen = price;
            if (lock.validate(stamp)) {
                return seen;
            }
            stamp = lock.readLock();
            try {
                return price;
            } finally {
                lock.unlockRead(stamp);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Lot lot = new Lot();
        Phaser round = new Phaser(9);
        AtomicLong late = new AtomicLong();
        for (int i = 1; i <= 8; i++) {
            Truth.virtual("bidder-" + i, () -> {
                while (true) {
                    Truth.sleep(ThreadLocalRandom.current().nextInt(5) / 1000.0);
                    lot.bid(lot.price() % 7 + 1);
                    round.arriveAndAwaitAdvance();
                }
            });
        }
        long start = System.nanoTime();
        int[] rounds = {0};
        Truth.repeat("auctioneer", () -> {
            long next = start + ++rounds[0] * 200_000_000L;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
            late.accumulateAndGet(System.nanoTime() - next, Math::max);
            round.arriveAndAwaitAdvance();
        });
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("screen-" + i, () -> {
                lot.price();
                Thread.sleep(25);
            });
        }
        ScheduledExecutorService lists = Executors.newScheduledThreadPool(6, work -> {
            Thread thread = new Thread(work, "lists");
            thread.setDaemon(true);
            return thread;
        });
        lists.scheduleAtFixedRate(lot::price, 1, 1, TimeUnit.SECONDS);
        Truth.sleep(seconds);
        System.out.printf("at most %.1f ms late, %.3f s for the lock%n", late.get() / 1e6, lot.locked.get() / 1e9);
        Truth.healthy("rounds are opened by the clock").object().culprit().thread().victims().noShare().say();
    }
}
