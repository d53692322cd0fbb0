import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Routes are priced leg by leg in a ForkJoinPool of the service's own, which splits them in halves.
 *
 * Problem: for a leg with a toll the tariff is fetched within the leaf, 45 ms, on one of the three workers; all
 * other legs take a millisecond. Truth: those who ask for routes wait for Leg because of TollTariffs.fetch.
 * Measured: the time in which tariffs are fetched, and that in which routes are waited for.
 */
final class LeafFetchesTolls {
    static final AtomicLong FETCHED = new AtomicLong(), WAITED = new AtomicLong();

    static final class TollTariffs {
        double fetch(int leg) {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            FETCHED.addAndGet(System.nanoTime() - from);
            return leg * 1.2;
        }
    }

    static final class Leg extends RecursiveTask<Double> {
        private static final long serialVersionUID = 1;
        private final transient TollTariffs tariffs;
        private final int first, last;

        Leg(TollTariffs tariffs, int first, int last) {
            this.tariffs = tariffs;
            this.first = first;
            this.last = last;
        }

        @Override
        protected Double compute() {
            if (first == last) {
                return price();
            }
            int middle = (first + last) / 2;
            Leg left = new Leg(tariffs, first, middle), right = new Leg(tariffs, middle + 1, last);
            left.fork();
            return right.compute() + left.join();
        }

        private double price() {
            if (first % 8 == 5) {
                return tariffs.fetch(first);
            }
            Truth.sleep(0.001);
            return first * 0.8;
        }
    }

    static final class RouteDesk {
        private final ForkJoinPool pool;
        private final TollTariffs tariffs;
        private double sum;

        RouteDesk(ForkJoinPool pool, TollTariffs tariffs) {
            this.pool = pool;
            this.tariffs = tariffs;
        }

        void quote() throws InterruptedException {
            long from = System.nanoTime();
            sum += pool.invoke(new Leg(tariffs, 0, 15));
            WAITED.addAndGet(System.nanoTime() - from);
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ForkJoinPool pool = new ForkJoinPool(3);
        TollTariffs tariffs = new TollTariffs();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("route-" + i, new RouteDesk(pool, tariffs)::quote);
        }
        Truth.sleep(seconds);
        System.out.printf("fetched for %.2f s, waited for %.2f s%n", FETCHED.get() / 1e9, WAITED.get() / 1e9);
        Truth.of("leaves of a divided task fetch tariffs on the workers").object("Leg", "ForkJoinTask", "RecursiveTask")
            .culprit("TollTariffs.fetch").thread("ForkJoinPool-*-worker-*").victims("route-*").noShare().say();
    }
}
