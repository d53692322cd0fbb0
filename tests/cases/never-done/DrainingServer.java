import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A busy little server. Its main thread waits for the latch of shutting down, a thread for the
 * signals of the operator waits for a future that only an operator would complete, and both are
 * waiting from the start to the end, as such threads do. The workers take requests from a queue
 * and answer.
 *
 * Problem: none. At the end the operator's future is completed and the latch counted down. Truth:
 * healthy. Measured: nothing.
 */
final class DrainingServer {
    private final CountDownLatch shutdown = new CountDownLatch(1);
    private final CompletableFuture<String> operator = new CompletableFuture<>();
    private final LinkedTransferQueue<Integer> requests = new LinkedTransferQueue<>();
    private final AtomicInteger answered = new AtomicInteger();

    public static void main(String[] arguments) throws InterruptedException {
        DrainingServer server = new DrainingServer();
        double seconds = Truth.seconds(arguments);
        server.thread("signals", server::obeyOperator);
        server.thread("clients", () -> server.arrive(new Random(6)));
        server.thread("end-of-day", () -> {
            Truth.sleep(seconds);
            server.operator.complete("stop");
        });
        for (int i = 1; i <= 6; i++) {
            server.thread("worker-" + i, server::work);
        }
        server.awaitShutdown();
        Truth.healthy("the main thread waits for the shut-down latch by design, and the workers "
            + "have work now and then")
            .object().culprit().thread().victims().noShare().say();
    }

    private void awaitShutdown() throws InterruptedException {
        shutdown.await();
    }

    private void obeyOperator() {
        if (operator.join().equals("stop")) {
            shutdown.countDown();
        }
    }

    private void arrive(Random random) {
        for (int request = 0; !operator.isDone(); request++) {
            Truth.sleep(random.nextDouble() * 0.01);
            requests.add(request);
        }
    }

    private void work() {
        try {
            while (answer(requests.take()) >= 0) {
                answered.incrementAndGet();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private static int answer(int request) throws InterruptedException {
        Thread.sleep(1 + request % 8);
        return request;
    }

    private void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
