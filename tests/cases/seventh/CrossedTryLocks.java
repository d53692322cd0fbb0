import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Journeys: two threads book, which takes the hotel's lock and then the airline's; two refund, which takes
 * the airline's first. Once there were deadlocks; since then the second lock is tried for 200 ms only.
 *
 * Problem: the order is still the wrong one in Refunds.refund (or in Bookings.book), so that both sides
 * keep what the other needs until the time of one is up. Truth: all wait for the two locks; either of
 * the two methods is to be changed. Measured: how often the time was up; no share, as they owe it to each
 * other.
 */
final class CrossedTryLocks {
    static final AtomicInteger GIVEN_UP = new AtomicInteger(), DONE = new AtomicInteger();

    /** A partner that takes one change at a time. */
    static final class Partner {
        final ReentrantLock lock = new ReentrantLock();

        void change() throws InterruptedException {
            Thread.sleep(1);
        }
    }

    static final class Bookings {
        private final Partner hotel, airline;
        private final Random random;

        Bookings(Partner hotel, Partner airline, int seed) {
            this.hotel = hotel;
            this.airline = airline;
            random = new Random(seed);
        }

        void next() throws InterruptedException {
            Thread.sleep(5 + random.nextInt(10));
            while (!book()) {
                GIVEN_UP.incrementAndGet();
                Thread.sleep(random.nextInt(10));
            }
            DONE.incrementAndGet();
        }

        private boolean book() throws InterruptedException {
            hotel.lock.lock();
            try {
                Thread.sleep(3);
                hotel.change();
                if (!airline.lock.tryLock(200, TimeUnit.MILLISECONDS)) {
                    return false;
                }
                try {
                    airline.change();
                    return true;
                } finally {
                    airline.lock.unlock();
                }
            } finally {
                hotel.lock.unlock();
            }
        }
    }

    static final class Refunds {
        private final Partner hotel, airline;
        private final Random random;

        Refunds(Partner hotel, Partner airline, int seed) {
            this.hotel = hotel;
            this.airline = airline;
            random = new Random(seed);
        }

        void next() throws InterruptedException {
            Thread.sleep(5 + random.nextInt(10));
            while (!refund()) {
                GIVEN_UP.incrementAndGet();
                Thread.sleep(random.nextInt(10));
            }
            DONE.incrementAndGet();
        }

        private boolean refund() throws InterruptedException {
            airline.lock.lock();
            try {
                Thread.sleep(3);
                airline.change();
                if (!hotel.lock.tryLock(200, TimeUnit.MILLISECONDS)) {
                    return false;
                }
                try {
                    hotel.change();
                    return true;
                } finally {
                    hotel.lock.unlock();
                }
            } finally {
                airline.lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Partner hotel = new Partner(), airline = new Partner();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("booking-" + i, new Bookings(hotel, airline, i)::next);
            Truth.repeat("refund-" + i, new Refunds(hotel, airline, i + 10)::next);
        }
        Truth.sleep(seconds);
        System.out.println(DONE.get() + " done, " + GIVEN_UP.get() + " times given up");
        Truth.of("two locks taken in two orders, with a time-out").object("ReentrantLock")
            .culprit("Bookings.book", "Refunds.refund").thread("booking-*", "refund-*")
            .victims("booking-*", "refund-*").noShare().say();
    }
}
