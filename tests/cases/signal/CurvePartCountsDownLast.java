import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;

/**
 * A valuation in rounds. Each round has a latch of three: rates and exchange prices are there
 * after a millisecond, the yield curve takes 150 to 250 ms. Six desks await the latch of the
 * round and then value their books, which is quick.
 *
 * Problem: CurveBuilder.bootstrap is the last to count down in every round; all others wait for
 * it.
 *
 * Truth: the CountDownLatch, the bootstrap, thread curve-1. Measured: which part owes its count
 * from the start of the round until it counts down, shared evenly among those that still owe, and
 * the desks' waits.
 */
class CurvePartCountsDownLast {
    private static final Truth.Diary DIARY = new Truth.Diary();
    private final ConcurrentMap<Integer, CountDownLatch> rounds = new ConcurrentHashMap<>();

    public static void main(String[] args) {
        CurvePartCountsDownLast valuation = new CurvePartCountsDownLast();
        valuation.startPart(0, "curve-1", new CurveBuilder()::bootstrap);
        valuation.startPart(1, "rates-1", () -> Thread.sleep(1));
        valuation.startPart(2, "fx-1", () -> Thread.sleep(1));
        for (int i = 1; i <= 6; i++) {
            valuation.startDesk(i);
        }
        Truth.sleep(Truth.seconds(args));
        Truth.of("every round of the valuation waits for CurveBuilder.bootstrap, the only slow "
                + "one of the three parts that count its latch down")
            .object("CountDownLatch")
            .culprit("CurveBuilder.bootstrap", "CurveBuilder.solve")
            .thread("curve-*")
            .victims("desk-*", "rates-*", "fx-*")
            .share(DIARY.share(0), "the desks' waiting for a round's latch")
            .say();
    }

    private CountDownLatch round(int number) {
        return rounds.computeIfAbsent(number, any -> new CountDownLatch(3));
    }

    private interface Part {
        void compute() throws InterruptedException;
    }

    private void startPart(int who, String name, Part part) {
        start(name, () -> {
            long begin = System.nanoTime();
            for (int number = 0; ; number++) {
                part.compute();
                DIARY.held(who, begin, System.nanoTime());
                round(number).countDown();
                round(number).await();
                begin = System.nanoTime();
                rounds.remove(number - 2);
            }
        });
    }

    private void startDesk(int desk) {
        Random random = new Random(desk);
        start("desk-" + desk, () -> {
            for (int number = 0; ; number++) {
                awaitRound(number);
                value(random.nextInt(8));
            }
        });
    }

    private void awaitRound(int number) throws InterruptedException {
        long from = System.nanoTime();
        round(number).await();
        DIARY.waited(from, System.nanoTime());
    }

    private static void value(int books) throws InterruptedException {
        Thread.sleep(2 + books);
    }

    private static void start(String name, Part body) {
        Thread thread = new Thread(() -> {
            try {
                body.compute();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}

class CurveBuilder {
    private final Random random = new Random(3);

    void bootstrap() throws InterruptedException {
        for (int tenor = 0; tenor < 5; tenor++) {
            solve();
        }
    }

    private void solve() throws InterruptedException {
        Thread.sleep(30 + random.nextInt(20)); // a call to the solver's service
    }
}
