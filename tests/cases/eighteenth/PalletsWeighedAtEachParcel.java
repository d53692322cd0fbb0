import com.google.common.util.concurrent.Monitor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six packers put parcels on a pallet, and a truck takes it once it weighs enough, by a Monitor of Guava.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: whoever leaves the monitor asks the truck's guard whether the pallet is full, and FullPallet.isSatisfied
 * has it weighed, by Scale.weigh, which takes 5 ms. Truth: packers wait for the monitor's ReentrantLock because of
 * Scale.weigh. Measured: when it runs, within the packers' entering.
 */
final class PalletsWeighedAtEachParcel {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Scale {
        private int grams;

        void put(int weight) {
            grams += weight;
        }

        int weigh() {
            long from = System.nanoTime();
            Truth.sleep(0.005);
            DIARY.held(0, from, System.nanoTime());
            return grams;
        }
    }

    static final class FullPallet extends Monitor.Guard {
        private final Scale scale;

        FullPallet(Monitor monitor, Scale scale) {
            super(monitor);
            this.scale = scale;
        }

        @Override
        public boolean isSatisfied() {
            return scale.weigh() >= 20_000;
        }
    }

    static final class Dock {
        private final Monitor monitor = new Monitor();
        private final Scale scale = new Scale();
        private final Monitor.Guard full = new FullPallet(monitor, scale);

        void pack(int weight) {
            long from = System.nanoTime();
            monitor.enter();
            try {
                DIARY.waited(from, System.nanoTime());
                scale.put(weight);
            } finally {
                monitor.leave();
            }
        }

        void load() throws InterruptedException {
            monitor.enterWhen(full);
            try {
                scale.put(-20_000);
            } finally {
                monitor.leave();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Dock dock = new Dock();
        AtomicInteger parcels = new AtomicInteger(), pallets = new AtomicInteger();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("packer-" + i, () -> {
                dock.pack(900);
                parcels.incrementAndGet();
                Thread.sleep(6);
            });
        }
        Truth.repeat("truck", () -> {
            dock.load();
            pallets.incrementAndGet();
            Thread.sleep(2);
        });
        Truth.sleep(seconds);
        System.out.printf("%d parcels, %d pallets, waited %.2f s%n", parcels.get(), pallets.get(),
                          DIARY.waitedSeconds());
        Truth.of("a guard that takes its time is asked at every leave").object("ReentrantLock")
            .culprit("Scale.weigh", "FullPallet.isSatisfied").thread("packer-*", "truck").victims("packer-*")
            .share(DIARY.share(0), "the packers' entering").say();
        Runtime.getRuntime().halt(0);
    }
}
