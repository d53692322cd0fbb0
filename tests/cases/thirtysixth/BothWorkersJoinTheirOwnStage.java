import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A travel agency makes its offers on an executor with two threads. An offer asks for a flight and,
 * by thenApplyAsync on the same executor, adds the taxes; Offers.make joins that.
 *
 * Problem: with one offer at a time there is always a thread for the taxes. After two fifths of the
 * time two are made at the same time: both threads join a stage that only they could run. Truth:
 * stuck, threads and agents wait for a CompletableFuture or FutureTask because of Offers.make.
 */
final class BothWorkersJoinTheirOwnStage {
    static final class Taxes {
        int add(int price) {
            Truth.sleep(0.001);
            return price * 119 / 100;
        }
    }

    static final class Offers {
        private final ExecutorService workers;
        private final Taxes taxes = new Taxes();

        Offers(ExecutorService workers) {
            this.workers = workers;
        }

        int make(int trip, CountDownLatch together) {
            int flight = flight(trip, together);
            return CompletableFuture.completedFuture(flight).thenApplyAsync(taxes::add, workers).join();
        }

        private int flight(int trip, CountDownLatch together) {
            Truth.sleep(0.002);
            together.countDown();
            try {
                together.await();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            return 200 + trip;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        List<Thread> threads = new ArrayList<>();
        ExecutorService workers = Executors.newFixedThreadPool(2, work -> {
            Thread thread = Truth.daemon("offers-" + (char) ('a' + threads.size()), work);
            threads.add(thread);
            return thread;
        });
        Offers offers = new Offers(workers);
        for (int trip = 0; trip < (int) (seconds * 16); trip++) {
            int own = trip;
            CountDownLatch alone = new CountDownLatch(1);
            CompletableFuture.supplyAsync(() -> offers.make(own, alone), workers).join();
            Thread.sleep(19);
        }
        CountDownLatch both = new CountDownLatch(2);
        List<Thread> all = new ArrayList<>(threads);
        for (int i = 1; i <= 2; i++) {
            int own = i;
            all.add(Truth.start("agent-" + i, () ->
                CompletableFuture.supplyAsync(() -> offers.make(own, both), workers).join()));
        }
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("both threads of an executor join a stage that runs on it")
            .object("CompletableFuture", "Signaller").culprit("Offers.make").thread("offers-a", "offers-b")
            .victims("offers-a", "offers-b", "agent-*", "offers-*").noShare(), seconds * 0.5);
        Truth.sleep(seconds + 2);
    }
}
