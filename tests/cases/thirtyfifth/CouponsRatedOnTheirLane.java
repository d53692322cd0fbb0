import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * Four lanes, made at home, keep the order of what is done for a shop: a thread each, a deque, wait
 * and notify. Who asks gets a ticket, which is a Semaphore without a permit until it is done, and
 * waits for it. Eight tills ask for stamps (0.7 ms), each of the shop it is in; twelve shops share the
 * lanes.
 *
 * Problem: shop 6 has coupons, and each third of its stamps rates them all (CouponRules.rate, 12 ms),
 * which stops the lane for two other shops. Truth: tills wait for their tickets (a Semaphore) because
 * of CouponRules.rate. Measured: the part of the tills' waiting during which their lane rates coupons.
 */
final class CouponsRatedOnTheirLane {
    static final class Ticket {
        private final Semaphore done = new Semaphore(0);

        void await() {
            done.acquireUninterruptibly();
        }

        void stamp() {
            done.release();
        }
    }

    static final class Lane {
        private final ArrayDeque<Runnable> jobs = new ArrayDeque<>();
        private final Truth.Diary diary = new Truth.Diary();

        Lane(int number) {
            Truth.repeat("lane-" + number, () -> next().run());
        }

        synchronized void add(Runnable job) {
            jobs.add(job);
            notify();
        }

        private synchronized Runnable next() throws InterruptedException {
            while (jobs.isEmpty()) {
                wait();
            }
            return jobs.poll();
        }
    }

    static final class Lanes {
        private final Lane[] lanes = {new Lane(0), new Lane(1), new Lane(2), new Lane(3)};

        void inOrder(int shop, IntPredicate job) {
            Lane lane = lanes[shop % lanes.length];
            Ticket ticket = new Ticket();
            long asked = System.nanoTime();
            lane.add(() -> {
                long from = System.nanoTime();
                int what = job.test(shop) ? 0 : 1;
                lane.diary.held(what, from, System.nanoTime());
                ticket.stamp();
            });
            ticket.await();
            lane.diary.waited(asked, System.nanoTime());
        }
    }

    static final class CouponRules {
        private double discount;

        void rate(int shop) {
            for (int rule = 0; rule < 6; rule++) {
                Truth.sleep(0.002);
                discount += 0.01 * shop;
            }
        }
    }

    static final class Stamps {
        private final CouponRules rules = new CouponRules();
        private final AtomicInteger of6 = new AtomicInteger();

        /** Whether coupons have been rated for it. */
        boolean put(int shop) {
            Truth.sleep(0.0007);
            if (shop != 6 || of6.incrementAndGet() % 3 != 0) {
                return false;
            }
            rules.rate(shop);
            return true;
        }
    }

    public static void main(String[] arguments) {
        Lanes lanes = new Lanes();
        Stamps stamps = new Stamps();
        for (int i = 1; i <= 8; i++) {
            int[] shop = {i};
            Truth.repeat("till-" + i, () -> {
                shop[0] = (shop[0] + 5) % 12;
                lanes.inOrder(shop[0], stamps::put);
                Thread.sleep(1);
            });
        }
        Truth.repeat("accounts", () -> Thread.sleep(100));
        Truth.sleep(Truth.seconds(arguments));
        double waited = 0, rated = 0;
        for (Lane lane : lanes.lanes) {
            waited += lane.diary.waitedSeconds();
            rated += lane.diary.waitedSeconds() * lane.diary.share(0);
        }
        System.out.printf("waited %.2f s in all%n", waited);
        Truth.of("coupons of one shop are rated on a lane that three share").object("Semaphore", "NonfairSync")
            .culprit("CouponRules.rate").thread("lane-*").victims("till-*")
            .share(rated / waited, "the tills' waiting for their tickets").say();
    }
}
