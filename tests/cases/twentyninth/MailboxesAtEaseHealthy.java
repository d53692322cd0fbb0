import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Twelve actors, virtual threads where the JDK has them, each with a mailbox of its own; three guests ask each in turn,
 * and have an answer in 1 ms, every 25 ms. A rumour goes from each actor to the next every now and then.
 *
 * Problem: none. Truth: healthy.
 */
final class MailboxesAtEaseHealthy {
    static final class Actor implements Runnable {
        private final BlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
        private int heard;

        void tell(Runnable message) {
            mailbox.add(message);
        }

        CompletableFuture<Integer> ask() {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            tell(() -> {
                Truth.sleep(0.001);
                answer.complete(++heard);
            });
            return answer;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    mailbox.take().run();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void rumour(Actor[] actors, int next) {
        if (next < actors.length) {
            actors[next].tell(() -> {
                Truth.sleep(0.0005);
                rumour(actors, next + 1);
            });
        }
    }

    public static void main(String[] arguments) {
        Actor[] actors = new Actor[12];
        for (int i = 0; i < actors.length; i++) {
            actors[i] = new Actor();
            Truth.virtual("actor-" + i, actors[i]);
        }
        for (int i = 0; i < 3; i++) {
            int[] turn = {4 * i};
            Truth.repeat("guest-" + i, () -> {
                actors[turn[0]++ % actors.length].ask().join();
                Thread.sleep(25);
            });
        }
        Truth.repeat("street", () -> {
            rumour(actors, 0);
            Thread.sleep(300);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("mailboxes are empty most of the time").say();
    }
}
