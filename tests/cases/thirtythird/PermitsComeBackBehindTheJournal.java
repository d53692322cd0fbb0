import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gateway sends payments to a network that answers after 3 to 5 ms; six may be on their way at a time: a permit is
 * taken before one is sent, and given back by the network's callback. Twelve senders, virtual threads where the JDK
 * has them.
 *
 * Problem: all callbacks run on one thread, and write each answer to a journal before the permit goes back,
 * Journal.append, 2.2 ms; every tenth one also rolls it, Journal.roll, 4 ms. Truth: senders wait for the Semaphore
 * because of Journal.append (or roll, which it calls). Measured: the part of the waiting for a permit during which
 * the thread of the callbacks appends.
 */
final class PermitsComeBackBehindTheJournal {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Journal {
        private int lines;

        void append(int answer) {
            long from = System.nanoTime();
            Truth.sleep(0.0022);
            if (++lines % 10 == 0) {
                roll();
            }
            DIARY.held(0, from, System.nanoTime());
        }

        private void roll() {
            Truth.sleep(0.004);
        }
    }

    static final class Network {
        private final ScheduledExecutorService wire =
            Executors.newScheduledThreadPool(1, work -> Truth.daemon("network", work));
        private final ScheduledExecutorService callbacks =
            Executors.newScheduledThreadPool(1, work -> Truth.daemon("network-callbacks", work));

        CompletableFuture<Integer> send(int amount) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            wire.schedule(() -> {
                callbacks.execute(() -> answer.complete(amount));
            }, 3 + ThreadLocalRandom.current().nextInt(3), TimeUnit.MILLISECONDS);
            return answer;
        }
    }

    static final class Gateway {
        private final Semaphore window = new Semaphore(6);
        private final Network network = new Network();
        private final Journal journal = new Journal();

        void pay(int amount) throws InterruptedException {
            long from = System.nanoTime();
            window.acquire();
            DIARY.waited(from, System.nanoTime());
            network.send(amount).thenAccept(journal::append).whenComplete((nothing, failure) -> window.release());
        }
    }

    public static void main(String[] arguments) {
        Gateway gateway = new Gateway();
        AtomicInteger payments = new AtomicInteger();
        for (int i = 1; i <= 12; i++) {
            Truth.virtual("sender-" + i, () -> {
                try {
                    while (true) {
                        gateway.pay(payments.incrementAndGet());
                        Thread.sleep(14);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Truth.repeat("statistics", () -> Thread.sleep(gateway.window.availablePermits() + 200));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("permits go back once an answer is in the journal").object("Semaphore", "NonfairSync")
            .culprit("Journal.append", "Journal.roll").thread("network-callbacks").victims("sender-*")
            .share(DIARY.share(0), "the senders' waiting for a permit").say();
        Runtime.getRuntime().halt(0);
    }
}
