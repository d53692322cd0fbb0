import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Five desks put trips together: flights and hotels are combined to a price, cars are looked up beside, and all of it
 * within two seconds at most, which is never reached. Fifteen threads do the looking up.
 *
 * Problem: Hotels.search takes 70 ms, Flights.search 12 and Cars.search 20. Truth: desks wait for a CompletableFuture
 * because of Hotels.search. Measured: which of the searches run, evenly divided, within the desks' waiting.
 */
final class TripAwaitsTheSlowestLeg {
    static final Truth.Diary DIARY = new Truth.Diary();

    static int search(int who, double seconds) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        return 100 + who;
    }

    static final class Hotels {
        int search(String town) {
            return TripAwaitsTheSlowestLeg.search(0, 0.07) + town.length();
        }
    }

    static final class Flights {
        int search(String town) {
            return TripAwaitsTheSlowestLeg.search(1, 0.012) + town.length();
        }
    }

    static final class Cars {
        int search(String town) {
            return TripAwaitsTheSlowestLeg.search(2, 0.02) + town.length();
        }
    }

    record Trips(Hotels hotels, Flights flights, Cars cars, ExecutorService pool) {
        int plan(String town) {
            CompletableFuture<Integer> hotel = CompletableFuture.supplyAsync(() -> hotels.search(town), pool);
            CompletableFuture<Integer> flight = CompletableFuture.supplyAsync(() -> flights.search(town), pool);
            CompletableFuture<Integer> car = CompletableFuture.supplyAsync(() -> cars.search(town), pool);
            CompletableFuture<Integer> price = hotel.thenCombine(flight, Integer::sum);
            return CompletableFuture.allOf(price, car).orTimeout(2, TimeUnit.SECONDS)
                .thenApply(nothing -> price.join() + car.join()).join();
        }
    }

    record Desk(Trips trips, int[] sum) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            sum[0] += trips.plan("Graz");
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(45);
        }
    }

    public static void main(String[] arguments) {
        Trips trips = new Trips(new Hotels(), new Flights(), new Cars(),
            Executors.newFixedThreadPool(15, work -> Truth.daemon("search", work)));
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("desk-" + i, new Desk(trips, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("flights %.3f cars %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("of three things that a trip needs, one is slow").object("CompletableFuture", "Signaller")
            .culprit("Hotels.search").thread("search").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for a trip").say();
    }
}
