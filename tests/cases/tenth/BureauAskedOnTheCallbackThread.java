import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Responses come from a network that takes three to six milliseconds; a client's one callback thread parses them, and
 * what depends on them is chained to it.
 *
 * Problem: the step that asks a credit bureau, 25 ms, is chained with thenApply, so it runs on the callback thread, and
 * everybody's responses wait behind it. Truth: handlers wait for a CompletableFuture because of CreditBureau.score.
 * Measured: the part of their waiting during which the bureau is asked.
 */
final class BureauAskedOnTheCallbackThread {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Response(int customer, int size) {
    }

    record Offer(int customer, int score) {
    }

    static final class CreditBureau {
        int score(int customer) {
            long from = System.nanoTime();
            try {
                TimeUnit.MILLISECONDS.sleep(25);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            DIARY.held(0, from, System.nanoTime());
            return 300 + customer % 550;
        }
    }

    static final class Client {
        private final ScheduledExecutorService network =
            Executors.newScheduledThreadPool(2, work -> daemon(work, "net"));
        private final Executor callback = Executors.newSingleThreadExecutor(work -> daemon(work, "client-callback"));

        CompletableFuture<Response> get(int customer) {
            CompletableFuture<String> raw = new CompletableFuture<>();
            network.schedule(() -> raw.complete("customer " + customer), 3 + customer % 4, TimeUnit.MILLISECONDS);
            return raw.thenApplyAsync(text -> parse(customer, text), callback);
        }

        private static Response parse(int customer, String text) {
            long from = System.nanoTime();
            int size = 0;
            for (int i = 0; i < 2000; i++) {
                size += (text + i).hashCode() & 1;
            }
            DIARY.held(1, from, System.nanoTime());
            return new Response(customer, size);
        }
    }

    static final class Offers {
        private final Client client = new Client();
        private final CreditBureau bureau = new CreditBureau();

        Offer offer(int customer) {
            CompletableFuture<Offer> offer = client.get(customer).thenApply(response ->
                new Offer(customer, response.customer() % 3 == 0 ? bureau.score(customer) : response.size()));
            long from = System.nanoTime();
            Offer made = offer.join();
            DIARY.waited(from, System.nanoTime());
            return made;
        }
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Offers offers = new Offers();
        for (int i = 1; i <= 6; i++) {
            daemon(() -> {
                long scores = 0;
                while (scores >= 0) {
                    scores += offers.offer(ThreadLocalRandom.current().nextInt(100_000)).score();
                }
            }, "handler-" + i).start();
        }
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1000));
        System.out.printf("waited %.2f s in all%n", DIARY.waitedSeconds());
        Truth.of("a blocking step runs on the one thread that serves all callbacks")
            .object("CompletableFuture", "Signaller").culprit("CreditBureau.score").thread("client-callback")
            .victims("handler-*").share(DIARY.share(0), "the handlers' waiting for offers").say();
    }
}
