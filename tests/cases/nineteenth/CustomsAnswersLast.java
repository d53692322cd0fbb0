import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three desks ask four sources at the same time for each quote, on a pool of twelve threads, and take the answers from
 * an ExecutorCompletionService as they come.
 *
 * Problem: Customs.lookUp takes 60 ms, where the others need 4, 5 and 6. Truth: desks wait at the completion service,
 * whose queue is new for each quote, because of Customs.lookUp. Measured: which of its own calls run, evenly shared,
 * while a desk takes.
 */
final class CustomsAnswersLast {
    static final int CUSTOMS = 0;
    static final AtomicInteger QUOTES = new AtomicInteger();

    static final class Tariff {
        int lookUp(int parcel) {
            Truth.sleep(0.004);
            return parcel % 7;
        }
    }

    static final class Stock {
        int count(int parcel) {
            Truth.sleep(0.005);
            return parcel % 5;
        }
    }

    static final class Weather {
        int forecast(int parcel) {
            Truth.sleep(0.006);
            return parcel % 3;
        }
    }

    static final class Customs {
        int lookUp(int parcel) {
            Truth.sleep(0.06);
            return parcel % 11;
        }
    }

    interface Source {
        int ask(int parcel);
    }

    static final class Desk {
        final Truth.Diary diary = new Truth.Diary();
        private final ExecutorService pool;
        private final List<Source> sources = new ArrayList<>();

        Desk(ExecutorService pool) {
            this.pool = pool;
            sources.add(new Customs()::lookUp);
            sources.add(new Tariff()::lookUp);
            sources.add(new Stock()::count);
            sources.add(new Weather()::forecast);
        }

        int quote(int parcel) throws Exception {
            ExecutorCompletionService<Integer> answers = new ExecutorCompletionService<>(pool);
            for (int i = 0; i < sources.size(); i++) {
                int who = i;
                answers.submit(() -> {
                    long from = System.nanoTime();
                    int answer = sources.get(who).ask(parcel);
                    diary.held(who, from, System.nanoTime());
                    return answer;
                });
            }
            int sum = 0;
            for (int i = 0; i < sources.size(); i++) {
                long from = System.nanoTime();
                sum += answers.take().get();
                diary.waited(from, System.nanoTime());
            }
            QUOTES.incrementAndGet();
            return sum;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        int[] thread = {0};
        ExecutorService pool = Executors.newFixedThreadPool(12, work -> Truth.daemon("source-" + ++thread[0], work));
        List<Desk> desks = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Desk desk = new Desk(pool);
            desks.add(desk);
            int[] parcel = {i};
            Truth.repeat("desk-" + i, () -> {
                desk.quote(parcel[0]++);
                Thread.sleep(15);
            });
        }
        Truth.sleep(seconds);
        double waited = 0, customs = 0;
        for (Desk desk : desks) {
            waited += desk.diary.waitedSeconds();
            customs += desk.diary.waitedSeconds() * desk.diary.share(CUSTOMS);
        }
        System.out.printf("%d quotes, waited %.2f s%n", QUOTES.get(), waited);
        Truth.of("one of four sources answers last").object("LinkedBlockingQueue", "ConditionObject")
            .culprit("Customs.lookUp").thread("source-*").victims("desk-*")
            .share(customs / waited, "the waiting for answers").say();
        Runtime.getRuntime().halt(0);
    }
}
