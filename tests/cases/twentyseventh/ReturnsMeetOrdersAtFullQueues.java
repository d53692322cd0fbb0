import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Two pickers take orders from a queue of eight, and put parcels into the packers' queue of eight. Two packers take
 * those; one out of four is wrong, and goes back to the orders. A front puts orders.
 *
 * Problem: after two fifths of the time orders come faster than they are packed, and every second parcel is wrong.
 * Soon both queues are full: pickers wait for room at the packers', packers for room at the orders', and nobody takes
 * anything any more. Truth: stuck; pickers and packers wait for ever at an ArrayBlockingQueue because of each other,
 * Packer.run and Picker.run.
 */
final class ReturnsMeetOrdersAtFullQueues {
    record Picker(BlockingQueue<Integer> orders, BlockingQueue<Integer> parcels) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            int order = orders.take();
            Truth.sleep(0.002);
            parcels.put(order);
        }
    }

    static final class Packer implements Truth.Step {
        private final BlockingQueue<Integer> orders;
        private final BlockingQueue<Integer> parcels;
        static volatile int every = 4;
        private int count;

        Packer(BlockingQueue<Integer> orders, BlockingQueue<Integer> parcels) {
            this.orders = orders;
            this.parcels = parcels;
        }

        @Override
        public void run() throws InterruptedException {
            int parcel = parcels.take();
            Truth.sleep(0.003);
            if (++count % every == 0) {
                orders.put(parcel);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Integer> orders = new ArrayBlockingQueue<>(8);
        BlockingQueue<Integer> parcels = new ArrayBlockingQueue<>(8);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            threads.add(Truth.repeat("picker-" + i, new Picker(orders, parcels)));
            threads.add(Truth.repeat("packer-" + i, new Packer(orders, parcels)));
        }
        double[] pause = {0.01};
        Thread front = Truth.repeat("front", () -> {
            orders.put(1);
            Truth.sleep(pause[0]);
        });
        threads.add(front);
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("two stages give to each other, and both queues are full")
            .object("ConditionObject", "ArrayBlockingQueue").culprit("Packer.run", "Picker.run")
            .thread("packer-*", "picker-*").victims("packer-*", "picker-*", "front").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        Packer.every = 2;
        pause[0] = 0.0005;
        Truth.sleep(seconds + 2);
    }
}
