import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Four desks decide on loans: three answers are gathered at the same time, in a StructuredTaskScope where the JDK has it
 * (25), else by invokeAll.
 *
 * FLAGS: --enable-preview
 *
 * Problem: Scoring.score takes 75 ms, the register 6 and the salary 10. Truth: desks wait for all of their forks because
 * of Scoring.score. Measured: which of them run, evenly divided, within the desks' waiting.
 */
final class ScopeAwaitsTheScoring {
    static final Truth.Diary DIARY = new Truth.Diary();

    static int look(int who, double seconds) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        return who;
    }

    static final class Scoring {
        int score(int customer) {
            return look(0, 0.075) + customer;
        }
    }

    static final class Register {
        int entries(int customer) {
            return look(1, 0.006) + customer;
        }
    }

    static final class Salary {
        int monthly(int customer) {
            return look(2, 0.01) + customer;
        }
    }

    interface Gather {
        void all(List<Callable<Integer>> questions) throws Exception;
    }

    /** By reflection, as programs of this folder are compiled for 17. */
    static Gather gather() {
        try {
            Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
            Method open = type.getMethod("open");
            Method fork = type.getMethod("fork", Callable.class);
            Method join = type.getMethod("join");
            Method close = type.getMethod("close");
            return questions -> {
                Object scope = open.invoke(null);
                for (Callable<Integer> question : questions) {
                    fork.invoke(scope, question);
                }
                join.invoke(scope);
                close.invoke(scope);
            };
        } catch (ReflectiveOperationException exception) {
            ExecutorService pool = Executors.newCachedThreadPool(work -> Truth.daemon("fork", work));
            return questions -> pool.invokeAll(questions);
        }
    }

    record Desk(Gather gather, int customer) implements Truth.Step {
        private void decide() throws Exception {
            long from = System.nanoTime();
            gather.all(List.of(() -> new Register().entries(customer), () -> new Scoring().score(customer),
                () -> new Salary().monthly(customer)));
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() throws Exception {
            decide();
            Thread.sleep(40);
        }
    }

    public static void main(String[] arguments) {
        Gather gather = gather();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("desk-" + i, new Desk(gather, i));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one of three forks is slow").object("FutureTask", "ThreadFlock", "StructuredTaskScope",
            "StructuredTaskScopeImpl", "VirtualThread").culprit("Scoring.score").thread("fork").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for their forks").say();
    }
}
