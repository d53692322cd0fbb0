import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Checkouts ask a fraud model for a score and join the CompletableFuture. The model runs on one
 * thread of its own. Two thirds of the questions are answered in about 2 ms; for the rest the
 * model goes through the customer's whole history, which takes 30 to 60 ms of CPU.
 *
 * Problem: ScoreModel.replayHistory computes nearly all the time, so that everybody queues.
 * Truth: the checkout threads wait for CompletableFutures because of it. Measured: when the
 * model's thread replayed a history and when it did other work, within the checkouts' waits.
 */
final class FraudScores {
    private static final Truth.Diary diary = new Truth.Diary();
    private static volatile boolean stopped;

    private FraudScores() {
    }

    public static void main(String[] arguments) {
        FraudGate gate = new FraudGate();
        Truth.start("session-timer", () -> gate.expireSessions(new Object()));
        for (int i = 1; i <= 9; i++) {
            Random random = new Random(900 + i);
            Truth.start("checkout-" + i, () -> sell(gate, random));
        }
        Truth.run(arguments, () -> stopped = true, 0.8);
        Truth.of("the only thread of the fraud model is always busy replaying whole histories, and "
            + "checkouts wait for their scores behind them")
            .object("CompletableFuture", "Signaller")
            .culprit("ScoreModel.replayHistory", "ScoreModel.score", "ScoreModel.distance")
            .thread("fraud-*").victims("checkout-*")
            .share(diary.share(0), "the checkout threads' waiting for scores").say();
    }

    private static void sell(FraudGate gate, Random random) {
        while (!stopped) {
            Truth.sleep(0.005 + 0.03 * random.nextDouble());
            gate.admit(random.nextInt(30_000));
        }
    }

    private static final class FraudGate {
        private final ScoreModel model = new ScoreModel();
        private final Executor single = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "fraud-1");
            thread.setDaemon(true);
            return thread;
        });

        boolean admit(int basket) {
            return verdict(ask(model::score, basket)) > 0.1;
        }

        private <Q, A> CompletableFuture<A> ask(Function<Q, A> model, Q question) {
            return CompletableFuture.supplyAsync(() -> model.apply(question), single);
        }

        private double verdict(CompletableFuture<Double> score) {
            long from = System.nanoTime();
            double value = score.join();
            diary.waited(from, System.nanoTime());
            return value;
        }

        /** A timer by hand, for nothing but its waits. */
        void expireSessions(Object clock) {
            synchronized (clock) {
                try {
                    while (!stopped) {
                        TimeUnit.MILLISECONDS.timedWait(clock, 300);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static final class ScoreModel {
        private double sum;

        Double score(Integer basket) {
            long from = System.nanoTime();
            double score;
            if (basket % 6 < 2) {
                score = replayHistory(30 + basket % 30);
                diary.held(0, from, System.nanoTime());
            } else {
                score = glance(2);
                diary.held(1, from, System.nanoTime());
            }
            return score;
        }

        private double replayHistory(int millis) {
            long until = System.nanoTime() + millis * 1_000_000L;
            int event = 0;
            while (System.nanoTime() < until) {
                sum = sum * 0.5 + distance(++event);
            }
            return sum;
        }

        private double distance(int event) {
            double distance = 0;
            for (int i = 1; i < 200; i++) {
                distance += Math.sqrt(event + i);
            }
            return distance;
        }

        private double glance(int millis) {
            Truth.sleep(millis / 1000.0);
            return 0.5;
        }
    }
}
