import java.util.HashMap;
import java.util.List;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Six desks book seats of a plan that a lock guards, and pay by a voucher, which is done at once, or by card, which a
 * bank's thread does.
 *
 * Problem: SeatPlan.book locks, and unlocks once it is paid, in a stage of a CompletableFuture. From the third second
 * on cards are taken, so that stage runs in the bank's thread, which does not own the lock: the exception that says so
 * stays in a future that nobody looks at. The desk that took the lock has it for ever, and books on; the others hang.
 * Truth: stuck, desks wait for the ReentrantLock because of SeatPlan.book.
 */
final class SeatsReleasedByTheBank {
    static final AtomicInteger BOOKED = new AtomicInteger();

    interface Payment {
        CompletableFuture<String> pay(int seat);
    }

    static final class Bank implements Payment {
        private final Executor threads = Executors.newFixedThreadPool(2, work -> Truth.daemon("bank", work));

        @Override
        public CompletableFuture<String> pay(int seat) {
            return CompletableFuture.supplyAsync(() -> {
                Truth.sleep(0.004);
                return "card for " + seat;
            }, threads);
        }
    }

    static final class SeatPlan {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, String> booked = new HashMap<>();

        void book(int seat, Payment payment) {
            lock.lock();
            booked.put(seat, "offered");
            payment.pay(seat).whenComplete((receipt, failure) -> {
                booked.put(seat, receipt);
                lock.unlock();
            });
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        SeatPlan plan = new SeatPlan();
        Payment voucher = seat -> CompletableFuture.completedFuture("voucher for " + seat), bank = new Bank();
        boolean[] cards = {false};
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int seat = i;
            desks.add(Truth.repeat("desk-" + i, () -> {
                plan.book(seat, cards[0] ? bank : voucher);
                BOOKED.incrementAndGet();
                Thread.sleep(10);
            }));
        }
        Truth.start("observer", () -> {
            Truth.sleep(2);
            cards[0] = true;
            int quiet = 0;
            while (quiet < 20) {
                Truth.sleep(0.025);
                quiet = desks.stream().filter(desk -> desk.getState() == Thread.State.WAITING).count() == 5 ? quiet + 1
                                                                                                        : 0;
            }
            Truth.hangs();
        });
        Truth.sayAndHalt(Truth.stuck("a lock is given back by a thread that does not own it")
            .object("ReentrantLock").culprit("SeatPlan.book").thread("desk-*").victims("desk-*").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}
