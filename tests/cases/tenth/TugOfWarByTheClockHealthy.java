import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;

/**
 * Four players move once in a round, and a referee begins a round sixteen times a second; all meet at a barrier.
 *
 * Problem: none: a move takes a millisecond or two, and the next round begins when the clock says so. Truth: healthy.
 */
final class TugOfWarByTheClockHealthy {
    static final class Clock {
        private static final long ROUND = 62_500_000;
        private long next = System.nanoTime();

        void awaitRound() {
            next += ROUND;
            for (long rest = next - System.nanoTime(); rest > 0; rest = next - System.nanoTime()) {
                LockSupport.parkNanos(rest);
            }
        }
    }

    static final class Game {
        private final CyclicBarrier begins = new CyclicBarrier(5), ends = new CyclicBarrier(5, this::judge);
        private final int[] pulls = new int[4];
        private int rope;

        void judge() {
            rope += pulls[0] + pulls[1] - pulls[2] - pulls[3];
        }

        void move(int player) {
            for (int i = 0; i < 40_000 * (player + 1); i++) {
                pulls[player] = (pulls[player] * 31 + i) & 15;
            }
        }
    }

    static final class Referee extends Thread {
        private final Game game;
        private final Clock clock = new Clock();

        Referee(Game game) {
            super("referee");
            this.game = game;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    clock.awaitRound();
                    game.begins.await();
                    game.ends.await();
                }
            } catch (InterruptedException | BrokenBarrierException exception) {
                System.out.println("game over");
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Game game = new Game();
        for (int i = 0; i < 4; i++) {
            int own = i;
            Truth.repeat("player-" + i, () -> {
                game.begins.await();
                game.move(own);
                game.ends.await();
            });
        }
        new Referee(game).start();
        Thread.sleep((long) (seconds * 1000));
        System.out.println("rope: " + game.rope);
        Truth.healthy("rounds begin by the clock").object().culprit().thread().victims().noShare().say();
    }
}
