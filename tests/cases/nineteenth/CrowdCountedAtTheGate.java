import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Six entrances let visitors pass a gate, a lock made for this program upon AbstractQueuedSynchronizer, which does not
 * say who owns it.
 *
 * Problem: a warden counts the crowd while he keeps the gate, CrowdCounter.countAll, for 45 ms in every 90. Truth:
 * entrances wait for the Gate because of CrowdCounter.countAll. Measured: who keeps the gate, within the entrances'
 * waiting for it.
 */
final class CrowdCountedAtTheGate {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int COUNTS = 0, PASSES = 1;
    static final AtomicInteger PASSED = new AtomicInteger();

    static final class Gate extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int one) {
            return compareAndSetState(0, 1);
        }

        @Override
        protected boolean tryRelease(int one) {
            setState(0);
            return true;
        }

        void close() {
            acquire(1);
        }

        void open() {
            release(1);
        }
    }

    record Entrance(Gate gate) {
        void letIn() {
            long asked = System.nanoTime();
            gate.close();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.0005);
                PASSED.incrementAndGet();
            } finally {
                DIARY.held(PASSES, from, System.nanoTime());
                gate.open();
            }
            DIARY.waited(asked, from);
        }
    }

    static final class CrowdCounter {
        private final Gate gate;
        private int counted;

        CrowdCounter(Gate gate) {
            this.gate = gate;
        }

        void countAll() {
            gate.close();
            long from = System.nanoTime();
            try {
                for (int stand = 0; stand < 9; stand++) {
                    Truth.sleep(0.005);
                    counted += stand;
                }
            } finally {
                DIARY.held(COUNTS, from, System.nanoTime());
                gate.open();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Gate gate = new Gate();
        for (int i = 1; i <= 6; i++) {
            Entrance entrance = new Entrance(gate);
            Truth.repeat("entrance-" + i, () -> {
                entrance.letIn();
                Thread.sleep(14);
            });
        }
        CrowdCounter counter = new CrowdCounter(gate);
        Truth.repeat("warden", () -> {
            counter.countAll();
            Thread.sleep(45);
        });
        Truth.sleep(seconds);
        System.out.printf("%d passed, waited %.2f s%n", PASSED.get(), DIARY.waitedSeconds());
        Truth.of("the crowd is counted while the gate is kept").object("Gate").culprit("CrowdCounter.countAll")
            .thread("warden").victims("entrance-*").share(DIARY.share(COUNTS), "the waiting for the gate").say();
        Runtime.getRuntime().halt(0);
    }
}
