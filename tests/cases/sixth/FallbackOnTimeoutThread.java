import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Quotes come from a vendor within 10 to 20 ms, or, each third time, not at all; after 40 ms the request
 * is to take a price of our own model instead.
 *
 * Problem: QuoteGateway.withFallback adds the model by thenApply, so FallbackModel.estimate (70 ms) runs
 * on the JVM's one thread for timeouts, and all other timeouts come late. Truth: requests wait for
 * futures that this thread has yet to complete. Measured: how long answers by the model took.
 */
final class FallbackOnTimeoutThread {
    record Quote(String from, double price) {
    }

    /** Answers by callback on its own threads, mostly. */
    static final class VendorClient {
        private final ExecutorService io = Executors.newFixedThreadPool(6, work -> daemon(work, "vendor-io"));
        private final Random random = new Random(5);

        synchronized CompletableFuture<Quote> request(int instrument) {
            CompletableFuture<Quote> answer = new CompletableFuture<>();
            if (random.nextInt(3) != 0) {
                int delay = 10 + random.nextInt(11);
                io.execute(() -> deliver(answer, instrument, delay));
            }
            return answer;
        }

        private void deliver(CompletableFuture<Quote> answer, int instrument, int delay) {
            Truth.sleep(delay / 1000.0);
            answer.complete(new Quote("vendor", 100 + instrument));
        }
    }

    /** Reads yesterday's curves, which takes a while. */
    static final class FallbackModel {
        static final ConcurrentHashMap<String, AtomicInteger> RUNS_ON = new ConcurrentHashMap<>();
        private final Quote missing = new Quote("nobody", 0);

        Quote missing() {
            return missing;
        }

        Quote orEstimate(Quote quote, int instrument) {
            return quote == missing ? estimate(instrument) : quote;
        }

        private Quote estimate(int instrument) {
            RUNS_ON.computeIfAbsent(Thread.currentThread().getName(), name -> new AtomicInteger())
                .incrementAndGet();
            Truth.sleep(0.070);
            return new Quote("model", 99.5 + instrument);
        }
    }

    static final class QuoteGateway {
        private final VendorClient vendor = new VendorClient();
        private final FallbackModel model = new FallbackModel();

        CompletableFuture<Quote> quote(int instrument) {
            return withFallback(vendor.request(instrument), instrument);
        }

        private CompletableFuture<Quote> withFallback(CompletableFuture<Quote> answer, int instrument) {
            return answer.completeOnTimeout(model.missing(), 40, TimeUnit.MILLISECONDS)
                .thenApply(quote -> model.orEstimate(quote, instrument));
        }
    }

    /** One of the threads that answer requests. */
    static final class QuoteResource {
        static final AtomicInteger LATE = new AtomicInteger(), ALL = new AtomicInteger();
        private final QuoteGateway gateway;
        private int instrument;

        QuoteResource(QuoteGateway gateway, int instrument) {
            this.gateway = gateway;
            this.instrument = instrument;
        }

        void serve() throws InterruptedException {
            long from = System.nanoTime();
            Quote quote = await(gateway.quote(instrument++ % 100));
            ALL.incrementAndGet();
            if (quote.from().equals("model") && System.nanoTime() - from > 150_000_000L) {
                LATE.incrementAndGet();
            }
            Thread.sleep(10);
        }

        private Quote await(CompletableFuture<Quote> quote) throws InterruptedException {
            try {
                return quote.get();
            } catch (ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        QuoteGateway gateway = new QuoteGateway();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("quote-exec-" + i, new QuoteResource(gateway, i * 17)::serve);
        }
        Truth.sleep(seconds);
        System.out.println(QuoteResource.ALL + " quotes, " + QuoteResource.LATE
            + " later than 150 ms; the model ran on " + FallbackModel.RUNS_ON);
        Truth.of("the fallback is computed on the thread that completes timeouts")
            .object("CompletableFuture", "Signaller")
            .culprit("FallbackModel.estimate", "QuoteGateway.withFallback", "FallbackModel.orEstimate")
            .thread(FallbackModel.RUNS_ON.keySet().toArray(new String[0])).victims("quote-exec-*")
            .noShare().say();
    }
}
