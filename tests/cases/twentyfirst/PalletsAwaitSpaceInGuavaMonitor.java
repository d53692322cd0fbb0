import com.google.common.util.concurrent.Monitor;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four forklifts put pallets into a bay, two wrappers take them out. The bay holds six, and is guarded by Guava's
 * Monitor, with a guard for space and one for pallets.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: Wrapper.wrap takes 22 ms a pallet, and forklifts bring more than that, so that the bay is nearly always
 * full. Truth: forklifts wait for space, for a condition of the Monitor, because of Wrapper.wrap. Measured: when
 * wrappers are at work, within the forklifts' waiting.
 */
final class PalletsAwaitSpaceInGuavaMonitor {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Bay {
        private final Monitor monitor = new Monitor();
        private final Queue<Integer> pallets = new ArrayDeque<>();
        private final Monitor.Guard space = monitor.newGuard(() -> pallets.size() < 6);
        private final Monitor.Guard some = monitor.newGuard(() -> !pallets.isEmpty());

        void invoke(int pallet) throws InterruptedException {
            monitor.enterWhen(space);
            try {
                pallets.add(pallet);
            } finally {
                monitor.leave();
            }
        }

        int request() throws InterruptedException {
            monitor.enterWhen(some);
            try {
                return pallets.remove();
            } finally {
                monitor.leave();
            }
        }
    }

    static final class Wrapper {
        private final Bay bay;
        private int foil;

        Wrapper(Bay bay) {
            this.bay = bay;
        }

        void work() throws InterruptedException {
            wrap(bay.request());
        }

        private void wrap(int pallet) {
            long from = System.nanoTime();
            Truth.sleep(0.022);
            foil += pallet;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Bay bay = new Bay();
        AtomicInteger brought = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("forklift-" + i, () -> {
                Thread.sleep(15);
                long from = System.nanoTime();
                bay.invoke(brought.incrementAndGet() % 10);
                DIARY.waited(from, System.nanoTime());
            });
        }
        for (int i = 1; i <= 2; i++) {
            Wrapper wrapper = new Wrapper(bay);
            Truth.repeat("wrapper-" + i, wrapper::work);
        }
        Truth.sleep(seconds);
        System.out.printf("%d brought, waited %.2f s%n", brought.get(), DIARY.waitedSeconds());
        Truth.of("two wrappers are too slow for four forklifts").object("ConditionObject", "Monitor", "ReentrantLock")
            .culprit("Wrapper.wrap").thread("wrapper-*").victims("forklift-*")
            .share(DIARY.share(0), "the forklifts' waiting for space").say();
        Runtime.getRuntime().halt(0);
    }
}
