import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Five visitors pass a turnstile, which is a hand-made lock: who finds it taken parks for a millisecond, with the
 * turnstile as what it waits for, and tries again. Nobody is ever woken.
 *
 * Problem: three times a second an auditor takes the turnstile too, and Auditor.count keeps it for 130 ms, where a
 * visitor keeps it for 0.3 ms. Truth: visitors wait for the Turnstile because of Auditor.count. Measured: who has it,
 * within the visitors' waiting.
 */
final class TurnstileTriedEachMillisecond {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Turnstile {
        private final AtomicBoolean taken = new AtomicBoolean();

        void enter() {
            while (!taken.compareAndSet(false, true)) {
                LockSupport.parkNanos(this, 1_000_000);
            }
        }

        void leave() {
            taken.set(false);
        }
    }

    record Visitor(Turnstile turnstile) {
        void pass() {
            long from = System.nanoTime();
            turnstile.enter();
            long to = System.nanoTime();
            DIARY.waited(from, to);
            while (System.nanoTime() - to < 300_000) {
                Thread.onSpinWait();
            }
            DIARY.held(1, to, System.nanoTime());
            turnstile.leave();
        }
    }

    static final class Auditor {
        private int rows;

        void count(Turnstile turnstile) {
            turnstile.enter();
            long from = System.nanoTime();
            for (int row = 0; row < 13; row++) {
                Truth.sleep(0.01);
                rows++;
            }
            DIARY.held(0, from, System.nanoTime());
            turnstile.leave();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Turnstile turnstile = new Turnstile();
        AtomicInteger passed = new AtomicInteger();
        for (int i = 1; i <= 5; i++) {
            Visitor visitor = new Visitor(turnstile);
            Truth.repeat("visitor-" + i, () -> {
                visitor.pass();
                passed.incrementAndGet();
                Thread.sleep(ThreadLocalRandom.current().nextInt(15, 30));
            });
        }
        Auditor auditor = new Auditor();
        Truth.repeat("auditor", () -> {
            auditor.count(turnstile);
            Thread.sleep(200);
        });
        Truth.sleep(seconds);
        System.out.printf("%d passed, waited %.2f s%n", passed.get(), DIARY.waitedSeconds());
        Truth.of("an auditor keeps a hand-made lock that others try each millisecond").object("Turnstile")
            .culprit("Auditor.count").thread("auditor").victims("visitor-*")
            .share(DIARY.share(0), "the visitors' waiting").say();
        Runtime.getRuntime().halt(0);
    }
}
