import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A desk is an actor: one thread and a mailbox, which answers by CompletableFuture. Four guests ask it for a key, 1 ms.
 *
 * Problem: after two fifths of the time a transfer arrives, which the desk handles by asking itself for a key, and
 * waiting for the answer: Desk.transfer. Truth: stuck; guests and the desk wait for their CompletableFuture.
 */
final class DeskAsksItself {
    static final class Desk implements Truth.Step {
        private final BlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
        private int keys;

        CompletableFuture<Integer> key() {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            mailbox.add(() -> {
                Truth.sleep(0.001);
                answer.complete(++keys);
            });
            return answer;
        }

        private void transfer(int guests) {
            for (int i = 0; i < guests; i++) {
                keys += key().join();
            }
        }

        void arrive(int guests) {
            mailbox.add(() -> transfer(guests));
        }

        @Override
        public void run() throws InterruptedException {
            mailbox.take().run();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Desk desk = new Desk();
        List<Thread> all = new ArrayList<>();
        all.add(Truth.repeat("desk", desk));
        for (int i = 1; i <= 4; i++) {
            all.add(Truth.repeat("guest-" + i, () -> {
                desk.key().join();
                Thread.sleep(20);
            }));
        }
        Truth.repeat("lift", () -> Truth.sleep(0.15));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("an actor asks itself and waits for the answer")
            .object("CompletableFuture", "Signaller").culprit("Desk.transfer").thread("desk").victims("guest-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        desk.arrive(2);
        Truth.sleep(seconds + 2);
    }
}
