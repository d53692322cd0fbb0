import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Forty checkouts (virtual threads where the JDK has them) call a payment service; a bulkhead of five permits
 * protects it. Calls that fail are tried again, three times at most.
 *
 * Problem: Retry.pause sleeps 30 ms between attempts while the permit is kept; the calls themselves take 4 ms.
 * Truth: checkouts wait for the semaphore because of Retry.pause. Measured: the part of the permits' time, while
 * others wait, that is spent in it.
 */
final class BackoffInsideBulkhead {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class PaymentService {
        boolean charge() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return ThreadLocalRandom.current().nextInt(2) == 0;
        }
    }

    static final class Retry {
        private final PaymentService service = new PaymentService();

        void charge() {
            for (int attempt = 0; attempt < 3 && !service.charge(); attempt++) {
                pause();
            }
        }

        private void pause() {
            long from = System.nanoTime();
            Truth.sleep(0.030);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Bulkhead {
        private final Semaphore permits = new Semaphore(5);

        void run(Runnable call) {
            long from = System.nanoTime();
            permits.acquireUninterruptibly();
            DIARY.waited(from, System.nanoTime());
            try {
                call.run();
            } finally {
                permits.release();
            }
        }
    }

    record Checkout(Bulkhead bulkhead, Retry retry) {
        void pay() {
            while (true) {
                Truth.sleep(0.05 + ThreadLocalRandom.current().nextInt(50) / 1000.0);
                bulkhead.run(retry::charge);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Bulkhead bulkhead = new Bulkhead();
        Retry retry = new Retry();
        for (int i = 1; i <= 40; i++) {
            Truth.virtual("checkout-" + i, new Checkout(bulkhead, retry)::pay);
        }
        Truth.sleep(seconds);
        Truth.of("retries pause while they keep a permit of the bulkhead").object("Semaphore", "NonfairSync")
            .culprit("Retry.pause").thread("checkout-*").victims("checkout-*")
            .share(DIARY.share(0), "the permits' time while others wait").say();
    }
}
