import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Five desks of an insurer rate a risk in three forks of a StructuredTaskScope, where the JDK has it (25), else by
 * invokeAll: fire and theft take 3 ms each, flood asks the reinsurer, of whom two may ask at a time (a Semaphore).
 *
 * FLAGS: --enable-preview
 *
 * Problem: the reinsurer takes 21 ms for an answer, Reinsurer.quote; the map before it (FloodMap.zone, also with the
 * permit) 2 ms. Truth: desks wait for their forks, or those for the Semaphore, because of Reinsurer.quote. Measured:
 * the part of the forks' waiting for a permit during which quotes are asked for, evenly shared with the map.
 */
final class ForksQueueAtTheReinsurer {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class FloodMap {
        int zone(int risk) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
            return risk % 4;
        }
    }

    static final class Reinsurer {
        int quote(int zone) {
            long from = System.nanoTime();
            Truth.sleep(0.021);
            DIARY.held(0, from, System.nanoTime());
            return zone * 100;
        }
    }

    static final class Flood {
        private final Semaphore lines = new Semaphore(2);
        private final FloodMap map = new FloodMap();
        private final Reinsurer reinsurer = new Reinsurer();

        int rate(int risk) throws InterruptedException {
            long from = System.nanoTime();
            lines.acquire();
            DIARY.waited(from, System.nanoTime());
            try {
                return reinsurer.quote(map.zone(risk));
            } finally {
                lines.release();
            }
        }
    }

    static int simple(int risk) {
        Truth.sleep(0.003);
        return risk;
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

    public static void main(String[] arguments) {
        Gather gather = gather();
        Flood flood = new Flood();
        for (int i = 1; i <= 5; i++) {
            int risk = i;
            Truth.repeat("desk-" + i, () -> {
                gather.all(List.of(() -> simple(risk), () -> flood.rate(risk), () -> simple(risk + 1)));
                Thread.sleep(9);
            });
        }
        Truth.repeat("clock", () -> Thread.sleep(100));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("two at a time may ask a slow reinsurer").object("Semaphore", "FutureTask", "ThreadFlock",
            "StructuredTaskScopeImpl", "StructuredTaskScope", "VirtualThread").culprit("Reinsurer.quote")
            .thread("fork").victims("desk-*", "fork", "").share(DIARY.share(0), "the forks' waiting for a permit").say();
        Runtime.getRuntime().halt(0);
    }
}
