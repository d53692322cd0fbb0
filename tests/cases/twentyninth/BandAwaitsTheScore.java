import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five players rehearse, 4 ms a bar, and meet at a CyclicBarrier after each. The fifth turns the pages: it takes the
 * lock of the score for each bar.
 *
 * Problem: a librarian copies the score, with its lock, 50 ms at a time, and pauses 5 ms: Librarian.copy. Truth:
 * players wait for the CyclicBarrier because of Librarian.copy. Measured: the fifth's waiting for the lock and
 * everybody's rehearsing, within the waiting at the barrier, evenly divided.
 */
final class BandAwaitsTheScore {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Librarian(ReentrantLock score) implements Truth.Step {
        private void copy() {
            Truth.sleep(0.05);
        }

        @Override
        public void run() throws InterruptedException {
            score.lock();
            try {
                copy();
            } finally {
                score.unlock();
            }
            Thread.sleep(5);
        }
    }

    record Player(int number, CyclicBarrier bar, ReentrantLock score) implements Truth.Step {
        private void rehearse() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
        }

        private void turnPage() {
            long from = System.nanoTime();
            score.lock();
            try {
                DIARY.held(0, from, System.nanoTime());
            } finally {
                score.unlock();
            }
        }

        @Override
        public void run() throws Exception {
            rehearse();
            if (number == 5) {
                turnPage();
            }
            long from = System.nanoTime();
            bar.await();
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        CyclicBarrier bar = new CyclicBarrier(5);
        ReentrantLock score = new ReentrantLock();
        Truth.repeat("librarian", new Librarian(score));
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("player-" + i, new Player(i, bar, score));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("rehearsing %.3f%n", DIARY.share(1));
        Truth.of("one party of a barrier waits for a lock that somebody else holds")
            .object("CyclicBarrier", "ConditionObject", "ReentrantLock").culprit("Librarian.copy")
            .thread("librarian").victims("player-*")
            .share(DIARY.share(0), "the players' waiting at the barrier").say();
    }
}
