import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Guests (virtual threads where the JDK has them) reserve seats, and most pay soon. What is not paid expires after
 * 400 ms: four threads take it from a DelayQueue, of which one waits for the next to expire and the others for it. Two
 * mailers poll for half a second at a time; the guest hands a mail over if one is waiting, and leaves it otherwise.
 * Each reservation has a future that times out if it is not paid; nobody waits for that.
 *
 * Problem: none: reservations expire when they should. Truth: healthy. Measured: how late they expire.
 */
final class ReservationsExpireHealthy {
    static final class Reservation implements Delayed {
        private final long until = System.nanoTime() + 400_000_000L;
        private final CompletableFuture<Integer> paid = new CompletableFuture<>();

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(until, ((Reservation) other).until);
        }
    }

    static final class Seats {
        private final Map<Integer, Reservation> taken = new ConcurrentHashMap<>();
        private final DelayQueue<Reservation> expiring = new DelayQueue<>();
        private final LinkedTransferQueue<String> mails = new LinkedTransferQueue<>();
        private final AtomicInteger expired = new AtomicInteger(), sent = new AtomicInteger();
        private final AtomicInteger missed = new AtomicInteger();
        private volatile long late;

        void reserve(int seat) throws InterruptedException {
            Reservation reservation = new Reservation();
            reservation.paid.orTimeout(400, TimeUnit.MILLISECONDS).exceptionally(late -> missed.incrementAndGet());
            taken.put(seat, reservation);
            expiring.add(reservation);
            if (!mails.tryTransfer("seat " + seat)) {
                missed.incrementAndGet();
            }
            if (seat % 7 != 0) {
                Thread.sleep(20);
                reservation.paid.complete(12);
            }
        }

        void expire() throws InterruptedException {
            Reservation reservation = expiring.take();
            late = Math.max(late, System.nanoTime() - reservation.until);
            if (!reservation.paid.isDone()) {
                expired.incrementAndGet();
            }
        }

        void mail() throws InterruptedException {
            String text = mails.poll(500, TimeUnit.MILLISECONDS);
            if (text != null) {
                Thread.sleep(2);
                sent.incrementAndGet();
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Seats seats = new Seats();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("expirer-" + i, seats::expire);
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("mailer-" + i, seats::mail);
        }
        for (int i = 1; i <= 10; i++) {
            int guest = i;
            Truth.virtual("guest-" + i, () -> {
                try {
                    for (int n = 0;; n++) {
                        seats.reserve(guest * 1000 + n);
                        Thread.sleep(300 + ThreadLocalRandom.current().nextInt(900));
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d expired, %d mails, at most %.1f ms late%n", seats.expired.get(), seats.sent.get(),
            seats.late / 1e6);
        Truth.healthy("what expires is waited for, and comes in time").object().culprit().thread().victims().noShare()
            .say();
    }
}
