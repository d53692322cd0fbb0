import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Fourteen checkout threads ask a tax service for a rate. The client throttles itself: two calls
 * at a time, by a Semaphore. A call takes 15 to 25 ms. A health check goes through the same
 * throttle.
 *
 * Problem: two is far too few for fourteen callers that come every 20 ms; nobody keeps a permit
 * longer than a call takes, and yet everybody waits for ten others.
 *
 * Truth: the Semaphore, TaxClient.rate, whose calls fill the throttle. Measured: what each permit
 * is used for, and the waits of the checkouts.
 */
class ThrottleOfTwoIsTooSmall {
    public static void main(String[] args) {
        TaxClient client = new TaxClient();
        for (int i = 1; i <= 14; i++) {
            Checkout checkout = new Checkout(client, new Random(i));
            daemon("checkout-" + i, checkout::loop);
        }
        daemon("health-check", () -> {
            while (true) {
                client.ping();
                Thread.sleep(150);
            }
        });
        Truth.sleep(Truth.seconds(args));
        Truth.of("TaxClient lets only two calls of TaxClient.rate happen at a time, for fourteen "
                + "checkout threads; the throttle is too small")
            .object("Semaphore")
            .culprit("TaxClient.rate", "TaxClient.throttled", "TaxClient.call", "TaxClient.<init>")
            .thread("checkout-*")
            .victims("checkout-*")
            .share(client.diary.share(0), "the checkouts' waiting for the throttle")
            .say();
    }

    static void daemon(String name, Callable<?> body) {
        Thread thread = new Thread(() -> {
            try {
                body.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}

class TaxClient {
    final Truth.Diary diary = new Truth.Diary();
    private final Semaphore throttle = new Semaphore(2);
    private final Random network = new Random(1);

    double rate(String region) throws Exception {
        return throttled(0, () -> call(15 + network.nextInt(10), region));
    }

    boolean ping() throws Exception {
        return throttled(1, () -> call(2, "ping")) >= 0;
    }

    private <T> T throttled(int what, Callable<T> call) throws Exception {
        long asked = System.nanoTime();
        throttle.acquire();
        long got = System.nanoTime();
        if (what == 0) {
            diary.waited(asked, got);
        }
        try {
            return call.call();
        } finally {
            diary.held(what, got, System.nanoTime());
            throttle.release();
        }
    }

    private double call(int millis, String text) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
        return text.length() / 100.0;
    }
}

record Checkout(TaxClient taxes, Random random) {
    Void loop() throws Exception {
        while (true) {
            total(random.nextInt(200));
            Thread.sleep(10 + random.nextInt(20));
        }
    }

    private double total(int net) throws Exception {
        return net * (1 + taxes.rate("region " + net % 16));
    }
}
