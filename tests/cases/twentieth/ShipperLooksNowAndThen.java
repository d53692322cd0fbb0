import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five packers put parcels on a belt with room for sixteen, from which a shipper takes up to twelve at a time.
 *
 * Problem: the shipper does not wait for parcels: Shipper.collect looks what there is, passes it on in 2 ms, and then
 * sleeps for 40 ms, though the belt is full again long before. Truth: packers wait for room in the ArrayBlockingQueue
 * because of Shipper.collect. Measured: when it sleeps, within the packers' waiting.
 */
final class ShipperLooksNowAndThen {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger SHIPPED = new AtomicInteger();

    static final class Parcel {
        private int stamps;

        void stamp() {
            stamps++;
        }
    }

    static final class Van {
        private int parcels;

        void load(List<Parcel> some) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            parcels += some.size();
            SHIPPED.addAndGet(some.size());
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Shipper {
        private final BlockingQueue<Parcel> belt;
        private final Van van = new Van();

        Shipper(BlockingQueue<Parcel> belt) {
            this.belt = belt;
        }

        void collect() throws InterruptedException {
            List<Parcel> some = new ArrayList<>();
            belt.drainTo(some, 12);
            if (!some.isEmpty()) {
                van.load(some);
            }
            long from = System.nanoTime();
            Thread.sleep(40);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    record Packer(BlockingQueue<Parcel> belt) {
        void pack() throws InterruptedException {
            Parcel parcel = new Parcel();
            parcel.stamp();
            Thread.sleep(6);
            long from = System.nanoTime();
            belt.put(parcel);
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Parcel> belt = new ArrayBlockingQueue<>(16);
        Truth.repeat("shipper", new Shipper(belt)::collect);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("packer-" + i, new Packer(belt)::pack);
        }
        Truth.sleep(seconds);
        System.out.printf("%d shipped, waited %.2f s%n", SHIPPED.get(), DIARY.waitedSeconds());
        Truth.of("who empties the belt sleeps between two looks").object("ArrayBlockingQueue", "ConditionObject")
            .culprit("Shipper.collect").thread("shipper").victims("packer-*")
            .share(DIARY.share(0), "the packers' waiting for room").say();
        Runtime.getRuntime().halt(0);
    }
}
