import java.util.concurrent.Callable;
import scala.concurrent.Await;
import scala.concurrent.ExecutionContext;
import scala.concurrent.ExecutionContext$;
import scala.concurrent.Future;
import scala.concurrent.Future$;
import scala.concurrent.duration.Duration;
import scala.runtime.AbstractFunction0;

/**
 * An auction house runs on Scala's futures, called from Java: five clerks await the description of a
 * lot, 3 ms, on the global execution context, which has as many threads as processors.
 *
 * NEEDS: scala-library (scala-library.jar)
 *
 * Problem: two experts have pictures appraised on the same context, Appraisal.compare, 21 ms, without
 * a word that it blocks. Truth: clerks wait for their future (its CompletionLatch) because of
 * Appraisal.compare. Measured: the part of the clerks' waiting during which pictures are compared,
 * evenly shared with descriptions.
 */
final class AppraisalsOnTheGlobalContext {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ExecutionContext CONTEXT = (ExecutionContext) ExecutionContext$.MODULE$.global();

    static <T> T await(Callable<T> work) throws Exception {
        Future<T> future = Future$.MODULE$.apply(new AbstractFunction0<T>() {
            @Override
            public T apply() {
                try {
                    return work.call();
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            }
        }, CONTEXT);
        return Await.result(future, Duration.Inf());
    }

    static final class Appraisal {
        private long estimate = 100;

        long of(int picture) {
            long from = System.nanoTime();
            for (int sale = 0; sale < 3; sale++) {
                compare(picture, sale);
            }
            DIARY.held(0, from, System.nanoTime());
            return estimate;
        }

        private void compare(int picture, int sale) {
            Truth.sleep(0.007);
            estimate = (estimate * 3 + picture + sale) / 4;
        }
    }

    static final class Lot {
        private final int number;

        Lot(int number) {
            this.number = number;
        }

        String description() {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return "lot " + number;
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i <= 2; i++) {
            Appraisal appraisal = new Appraisal();
            int picture = i;
            Truth.repeat("expert-" + i, () -> {
                await(() -> appraisal.of(picture));
                Thread.sleep(12);
            });
        }
        DIARY.clients("clerk", 5, 13, () -> await(new Lot(7)::description));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("appraisals occupy the global execution context").object("CompletionLatch", "DefaultPromise", "Promise")
            .culprit("Appraisal.compare", "Appraisal.of").thread("scala-execution-context-global-*").victims("clerk-*")
            .share(DIARY.share(0), "the clerks' waiting for their future").say();
        Runtime.getRuntime().halt(0);
    }
}
