import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * A dispatch office at night: two threads at a DelayQueue, three at a PriorityBlockingQueue, two each at a
 * SynchronousQueue and a LinkedTransferQueue, and a pair that exchanges buffers once in a while. A porter brings
 * something to each every 700 ms, which takes 3 ms.
 *
 * Problem: none; there is hardly anything to do. Truth: healthy.
 */
final class DispatchersAtNightHealthy {
    record Tour(long due) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Tour) other).due);
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Tour> tours = new DelayQueue<>();
        PriorityBlockingQueue<Integer> letters = new PriorityBlockingQueue<>();
        SynchronousQueue<Integer> parcels = new SynchronousQueue<>();
        LinkedTransferQueue<Integer> pallets = new LinkedTransferQueue<>();
        Exchanger<int[]> books = new Exchanger<>();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("tours-" + i, () -> {
                tours.take();
                Truth.sleep(0.003);
            });
            Truth.repeat("parcels-" + i, () -> {
                parcels.take();
                Truth.sleep(0.003);
            });
            Truth.repeat("pallets-" + i, () -> {
                pallets.take();
                Truth.sleep(0.003);
            });
        }
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("letters-" + i, () -> {
                letters.take();
                Truth.sleep(0.003);
            });
        }
        Truth.repeat("ledger", () -> {
            books.exchange(new int[8]);
            Truth.sleep(0.003);
        });
        int[] turn = {0};
        Truth.repeat("porter", () -> {
            Thread.sleep(700);
            tours.add(new Tour(System.nanoTime() + 50_000_000));
            letters.add(++turn[0]);
            parcels.offer(turn[0]);
            pallets.tryTransfer(turn[0]);
            books.exchange(new int[8]);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("it is night").say();
    }
}
