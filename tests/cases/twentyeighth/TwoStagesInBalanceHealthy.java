import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TransferQueue;

/**
 * Parcels come by the clock, one in 15 ms; two sorters (3 ms) hand them over to two loaders (3 ms) by a bounded queue and
 * a transfer queue. Twice a second a ForkJoinPool counts what is there, in tasks of 1 ms, and four cleaners meet at a
 * phaser once a second.
 *
 * Problem: none; everybody is faster than parcels come. Truth: healthy.
 */
final class TwoStagesInBalanceHealthy {
    static final class Count extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final int depth;

        Count(int depth) {
            this.depth = depth;
        }

        @Override
        protected void compute() {
            if (depth == 0) {
                Truth.sleep(0.001);
            } else {
                invokeAll(new Count(depth - 1), new Count(depth - 1));
            }
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Integer> parcels = new ArrayBlockingQueue<>(20);
        TransferQueue<Integer> ramp = new LinkedTransferQueue<>();
        Phaser phaser = new Phaser(4);
        ForkJoinPool pool = new ForkJoinPool(3);
        Truth.repeat("belt", () -> {
            parcels.put(1);
            Thread.sleep(15);
        });
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("sorter-" + i, () -> {
                int parcel = parcels.take();
                Truth.sleep(0.003);
                ramp.transfer(parcel);
            });
            Truth.repeat("loader-" + i, () -> {
                ramp.take();
                Truth.sleep(0.003);
            });
        }
        Truth.repeat("stocktaking", () -> {
            pool.invoke(new Count(3));
            Thread.sleep(500);
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("cleaner-" + i, () -> {
                phaser.arriveAndAwaitAdvance();
                Thread.sleep(1000);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there is less to do than could be done").say();
    }
}
