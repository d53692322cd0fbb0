import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Five clearing houses match trades in phases, 3 to 8 ms each, and wait for each other at a Phaser.
 *
 * Problem: ClearingPhaser.onAdvance, which whoever arrives last runs before anybody may go on, settles the phase with a
 * bank, in 30 ms. Truth: houses wait for the Phaser because of ClearingPhaser.onAdvance or Bank.settle. Measured: who
 * matches and when is settled, while other houses wait.
 */
final class PhaseIsSettledAsItAdvances {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Boolean> SETTLED = ThreadLocal.withInitial(() -> false);
    static final int SETTLING = 0, MATCHING = 1;

    static final class Bank {
        static boolean settle(int phase) {
            Truth.sleep(0.03);
            return phase < 0;
        }
    }

    static final class ClearingPhaser extends Phaser {
        ClearingPhaser(int parties) {
            super(parties);
        }

        @Override
        protected boolean onAdvance(int phase, int parties) {
            long from = System.nanoTime();
            boolean isOver = Bank.settle(phase);
            DIARY.held(SETTLING, from, System.nanoTime());
            SETTLED.set(true);
            return isOver;
        }
    }

    record House(Phaser phaser) {
        void match() throws InterruptedException {
            long from = System.nanoTime();
            Thread.sleep(3 + ThreadLocalRandom.current().nextInt(6));
            long to = System.nanoTime();
            DIARY.held(MATCHING, from, to);
            SETTLED.set(false);
            phaser.arriveAndAwaitAdvance();
            if (!SETTLED.get()) {
                DIARY.waited(to, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Phaser phaser = new ClearingPhaser(5);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("house-" + i, new House(phaser)::match);
        }
        DIARY.fill(seconds);
        Truth.of("a phase is settled before the next one may begin").object("Phaser", "ClearingPhaser", "QNode")
            .culprit("ClearingPhaser.onAdvance", "Bank.settle").thread("house-*").victims("house-*")
            .share(DIARY.share(SETTLING), "the houses' waiting for each other").say();
        System.exit(0);
    }
}
