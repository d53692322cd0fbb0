import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Orders are noted in an outbox (a queue of 500) by four shops, each 25 to 40 ms; a relay gathers them for at most
 * 50 ms, or ten, and sends them (3 ms); who acknowledges does so 2 ms later. Two schedulers sweep and count now and then,
 * and a consumer of another topic polls for what hardly comes.
 *
 * Problem: none: the relay lingers by design, and nobody waits for it. Truth: healthy. Measured: nothing.
 */
final class OutboxRelayHealthy {
    static final class Outbox {
        private final BlockingQueue<Integer> rows = new ArrayBlockingQueue<>(500);

        void note(int row) throws InterruptedException {
            rows.put(row);
        }

        List<Integer> gather(int most, long millis) throws InterruptedException {
            List<Integer> batch = new ArrayList<>();
            long end = System.nanoTime() + millis * 1_000_000;
            while (batch.size() < most) {
                Integer row = rows.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (row == null) {
                    break;
                }
                batch.add(row);
            }
            return batch;
        }
    }

    static final class Relay implements Truth.Step {
        private final Outbox outbox;
        private final ScheduledExecutorService network;

        Relay(Outbox outbox, ScheduledExecutorService network) {
            this.outbox = outbox;
            this.network = network;
        }

        @Override
        public void run() throws Exception {
            List<Integer> batch = outbox.gather(10, 50);
            if (!batch.isEmpty()) {
                send(batch).join();
            }
        }

        private CompletableFuture<Integer> send(List<Integer> batch) {
            Truth.sleep(0.003);
            CompletableFuture<Integer> acknowledged = new CompletableFuture<>();
            network.schedule(() -> acknowledged.complete(batch.size()), 2, TimeUnit.MILLISECONDS);
            return acknowledged;
        }
    }

    public static void main(String[] arguments) {
        ScheduledExecutorService network =
            Executors.newScheduledThreadPool(2, work -> Truth.daemon("network", work));
        ScheduledExecutorService chores = Executors.newScheduledThreadPool(2, work -> Truth.daemon("chores", work));
        Outbox outbox = new Outbox();
        BlockingQueue<Integer> returns = new ArrayBlockingQueue<>(20);
        Truth.repeat("outbox-relay", new Relay(outbox, network));
        Truth.repeat("returns-consumer", () -> returns.poll(300, TimeUnit.MILLISECONDS));
        chores.scheduleAtFixedRate(() -> Truth.sleep(0.004), 100, 300, TimeUnit.MILLISECONDS);
        chores.scheduleWithFixedDelay(() -> returns.offer(1), 200, 900, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 4; i++) {
            int own = i;
            Truth.repeat("shop-" + i, () -> {
                outbox.note(own);
                Thread.sleep(20 + 5 * own);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("who lingers is awaited by nobody").object().culprit().thread().victims().noShare().say();
    }
}
