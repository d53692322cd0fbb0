import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Three actors, each a mailbox that a pool of three threads empties, one actor by one thread at a time. Guests ask the
 * teller for a balance, 0.5 ms, and await a CompletableFuture; clerks ask two other actors for rates.
 *
 * Problem: a batch tells the teller to print a statement every 95 ms, Teller.print, 60 ms. Truth: guests wait for their
 * futures because of Teller.print. Measured: printing and telling balances within the guests' waiting.
 */
final class TellerPrintsAStatement {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Runs what it is told, one after the other. */
    static class Actor implements Runnable {
        private final Executor pool;
        private final Queue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean scheduled = new AtomicBoolean();

        Actor(Executor pool) {
            this.pool = pool;
        }

        void tell(Runnable message) {
            mailbox.add(message);
            schedule();
        }

        private void schedule() {
            if (!mailbox.isEmpty() && scheduled.compareAndSet(false, true)) {
                pool.execute(this);
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < 5; i++) {
                Runnable message = mailbox.poll();
                if (message == null) {
                    break;
                }
                message.run();
            }
            scheduled.set(false);
            schedule();
        }
    }

    static final class Teller extends Actor {
        private int printed;

        Teller(Executor pool) {
            super(pool);
        }

        CompletableFuture<Integer> balance(int account) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            tell(() -> {
                long from = System.nanoTime();
                Truth.sleep(0.0005);
                DIARY.held(1, from, System.nanoTime());
                answer.complete(account * 100 + printed);
            });
            return answer;
        }

        void print() {
            long from = System.nanoTime();
            Truth.sleep(0.06);
            printed++;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Rates extends Actor {
        Rates(Executor pool) {
            super(pool);
        }

        CompletableFuture<Integer> rate() {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            tell(() -> {
                Truth.sleep(0.001);
                answer.complete(7);
            });
            return answer;
        }
    }

    public static void main(String[] arguments) {
        ExecutorService pool = Executors.newFixedThreadPool(3, work -> Truth.daemon("actors", work));
        Teller teller = new Teller(pool);
        for (int i = 1; i <= 5; i++) {
            int account = i;
            Truth.repeat("guest-" + i, () -> {
                long from = System.nanoTime();
                teller.balance(account).join();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(9);
            });
        }
        for (int i = 1; i <= 2; i++) {
            Rates rates = new Rates(pool);
            Truth.repeat("clerk-" + i, () -> {
                rates.rate().join();
                Thread.sleep(40);
            });
        }
        Truth.repeat("batch", () -> {
            teller.tell(teller::print);
            Thread.sleep(95);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("balances %.3f%n", DIARY.share(1));
        Truth.of("an actor has long messages before short ones").object("CompletableFuture", "Signaller")
            .culprit("Teller.print").thread("actors").victims("guest-*")
            .share(DIARY.share(0), "the guests' waiting for a balance").say();
    }
}
