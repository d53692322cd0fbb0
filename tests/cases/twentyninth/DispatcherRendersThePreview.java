import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A dispatcher takes requests from a queue: pings it answers itself, 0.3 ms, previews it gives to a pool of two threads
 * with two places in its queue, and CallerRunsPolicy.
 *
 * Problem: a preview takes 45 ms, one is asked for each 20 ms, so that the dispatcher often renders one itself:
 * Preview.render. Truth: pings wait for their CompletableFuture because of Preview.render in the dispatcher. Measured:
 * rendering in the dispatcher, within the pings' waiting.
 */
final class DispatcherRendersThePreview {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Preview(int number) implements Runnable {
        private void render() {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            if (Thread.currentThread().getName().equals("dispatcher")) {
                DIARY.held(0, from, System.nanoTime());
            }
        }

        @Override
        public void run() {
            render();
        }
    }

    record Ping(CompletableFuture<Integer> answer) implements Runnable {
        @Override
        public void run() {
            long from = System.nanoTime();
            Truth.sleep(0.0003);
            DIARY.held(1, from, System.nanoTime());
            answer.complete(1);
        }
    }

    record Dispatcher(BlockingQueue<Runnable> requests, ThreadPoolExecutor pool) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            Runnable request = requests.take();
            if (request instanceof Ping) {
                request.run();
            } else {
                pool.execute(request);
            }
        }
    }

    record Client(BlockingQueue<Runnable> requests) implements Truth.Step {
        private void ping() throws InterruptedException {
            Ping ping = new Ping(new CompletableFuture<>());
            long from = System.nanoTime();
            requests.put(ping);
            ping.answer().join();
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() throws InterruptedException {
            ping();
            Thread.sleep(12);
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Runnable> requests = new LinkedBlockingQueue<>();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(2),
            work -> Truth.daemon("preview", work), new ThreadPoolExecutor.CallerRunsPolicy());
        Truth.repeat("dispatcher", new Dispatcher(requests, pool));
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("ping-" + i, new Client(requests));
        }
        int[] number = {0};
        Truth.repeat("gallery", () -> {
            requests.put(new Preview(++number[0]));
            Thread.sleep(18);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("answering %.3f%n", DIARY.share(1));
        Truth.of("a dispatcher runs what its pool refuses").object("CompletableFuture", "Signaller")
            .culprit("Preview.render").thread("dispatcher").victims("ping-*")
            .share(DIARY.share(0), "the pings' waiting for an answer").say();
    }
}
