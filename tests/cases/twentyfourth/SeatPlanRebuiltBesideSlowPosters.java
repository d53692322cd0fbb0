import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.StampedLock;

/**
 * A theatre: eight box offices ask for the price of a seat, by an optimistic read where they can; five kiosks print
 * tickets on two printers.
 *
 * Problem: there are two. The plan is rebuilt from the director's file (35 ms, eight times a second) while its write
 * stamp is held; and posters, which keep a printer for 80 ms, are sent to the printers of the tickets. Box offices
 * lose several times what kiosks do. Truth: box offices wait for a StampedLock because of SeatPlan.rebuild. Measured:
 * rebuilds within the box offices' waiting; the kiosks' waiting is printed.
 */
final class SeatPlanRebuiltBesideSlowPosters {
    static final Truth.Diary PLAN = new Truth.Diary(), PRINT = new Truth.Diary();

    static final class SeatPlan {
        private final StampedLock stamps = new StampedLock();
        private final int[] cents = new int[900];

        int price(int seat) {
            long stamp = stamps.tryOptimisticRead();
            int price = cents[seat];
            return stamps.validate(stamp) ? price : priceAfterAll(seat);
        }

        private int priceAfterAll(int seat) {
            long from = System.nanoTime();
            long stamp = stamps.readLock();
            try {
                PLAN.waited(from, System.nanoTime());
                return cents[seat];
            } finally {
                stamps.unlockRead(stamp);
            }
        }

        void rebuild(DirectorsFile file) {
            long stamp = stamps.writeLock();
            long from = System.nanoTime();
            try {
                for (int row = 0; row < 30; row += 6) {
                    Arrays.fill(cents, row * 30, row * 30 + 180, file.priceOf(row));
                }
            } finally {
                PLAN.held(0, from, System.nanoTime());
                stamps.unlockWrite(stamp);
            }
        }
    }

    static final class DirectorsFile {
        int priceOf(int row) {
            Truth.sleep(0.007);
            return 9900 - row * 200;
        }
    }

    enum Paper {
        TICKET(0.002), POSTER(0.08);

        final double seconds;

        Paper(double seconds) {
            this.seconds = seconds;
        }
    }

    static final class PrintRoom {
        private final Semaphore printers = new Semaphore(2);

        void print(Paper paper) throws InterruptedException {
            long asked = System.nanoTime();
            printers.acquire();
            long from = System.nanoTime();
            try {
                Truth.sleep(paper.seconds);
            } finally {
                PRINT.waited(asked, from);
                PRINT.held(paper.ordinal(), from, System.nanoTime());
                printers.release();
            }
        }
    }

    public static void main(String[] arguments) {
        SeatPlan plan = new SeatPlan();
        PrintRoom room = new PrintRoom();
        for (int i = 1; i <= 8; i++) {
            int[] seat = {i * 100};
            Truth.repeat("box-office-" + i, () -> {
                plan.price(seat[0]++ % 900);
                Thread.sleep(4);
            });
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("kiosk-" + i, () -> {
                room.print(Paper.TICKET);
                Thread.sleep(28);
            });
        }
        for (int i = 1; i <= 2; i++) {
            int pause = 70 + i * 40;
            Truth.repeat("poster-" + i, () -> {
                room.print(Paper.POSTER);
                Thread.sleep(pause);
            });
        }
        DirectorsFile file = new DirectorsFile();
        Truth.repeat("plan-import", () -> {
            plan.rebuild(file);
            Thread.sleep(85);
        });
        PLAN.fill(Truth.seconds(arguments));
        System.out.printf("for printers %.2f s, %.2f of it for posters%n", PRINT.waitedSeconds(), PRINT.share(1));
        Truth.of("the seat plan is rebuilt under its write stamp; slow posters are the lesser fault")
            .object("StampedLock").culprit("SeatPlan.rebuild", "DirectorsFile.priceOf").thread("plan-import")
            .victims("box-office-*").share(PLAN.share(0), "the box offices' waiting for the plan").say();
    }
}
