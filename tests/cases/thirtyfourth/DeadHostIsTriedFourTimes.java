import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Notices to shops' hosts: a sender may have three at a time on the way (a Semaphore). Six senders; a notice is written
 * in 1 ms, and a host answers after 4 ms, by a scheduler.
 *
 * Problem: the host of each seventh notice is dead, and is tried four times, for 30 ms each, with the permit in hand,
 * NoticeSender.await. Truth: senders wait for the Semaphore because of NoticeSender.await (or NoticeSender.attempt,
 * which calls it). Measured: the part of the waiting for a permit during which hosts are awaited, dead or not, evenly
 * shared with what else is done with a permit.
 */
final class DeadHostIsTriedFourTimes {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Hosts {
        private final ScheduledExecutorService network =
            Executors.newScheduledThreadPool(1, work -> Truth.daemon("network", work));

        CompletableFuture<Integer> post(int shop, String body) {
            CompletableFuture<Integer> reply = new CompletableFuture<>();
            if (shop % 7 != 0) {
                network.schedule(() -> reply.complete(body.length()), 4, TimeUnit.MILLISECONDS);
            }
            return reply;
        }
    }

    static final class NoticeSender {
        private final Semaphore permits = new Semaphore(3);
        private final Hosts hosts = new Hosts();

        boolean send(int shop, String body) throws Exception {
            long asked = System.nanoTime();
            permits.acquire();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                boolean sent = false;
                Truth.sleep(0.001);
                DIARY.held(1, from, System.nanoTime());
                for (int tries = 0; tries < 4 && !sent; tries++) {
                    sent = attempt(shop, body);
                }
                return sent;
            } finally {
                permits.release();
            }
        }

        private boolean attempt(int shop, String body) throws InterruptedException, ExecutionException {
            return await(hosts.post(shop, body));
        }

        private static boolean await(CompletableFuture<Integer> reply) throws InterruptedException, ExecutionException {
            long from = System.nanoTime();
            try {
                return reply.get(30, TimeUnit.MILLISECONDS) > 0;
            } catch (TimeoutException exception) {
                return false;
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) {
        NoticeSender sender = new NoticeSender();
        for (int i = 1; i <= 6; i++) {
            int[] shop = {i};
            Truth.repeat("notice-" + i, () -> {
                sender.send(shop[0], "sold out");
                shop[0] += 3;
                Thread.sleep(4);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a dead host is tried again and again with a permit").object("Semaphore", "NonfairSync")
            .culprit("NoticeSender.await", "NoticeSender.attempt").thread("notice-*").victims("notice-*")
            .share(DIARY.share(0), "the senders' waiting for a permit").say();
    }
}
