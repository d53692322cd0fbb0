import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;

/**
 * Ten browsers poll for notifications, each at a mailbox of its own with a monitor, for two seconds at
 * most. A notifier leaves something for one of them each 100 to 400 ms.
 *
 * Problem: none; nothing to tell is why they wait. Truth: healthy. Measured: nothing.
 */
final class NotificationPollHealthy {
    static final class Mailbox {
        private final Queue<String> mail = new ArrayDeque<>();

        synchronized void leave(String text) {
            mail.add(text);
            notifyAll();
        }

        synchronized String poll() throws InterruptedException {
            long end = System.currentTimeMillis() + 2000;
            for (long left = 2000; mail.isEmpty() && left > 0;
                    left = end - System.currentTimeMillis()) {
                wait(left);
            }
            return mail.poll();
        }
    }

    public static void main(String[] arguments) {
        Mailbox[] boxes = new Mailbox[10];
        for (int i = 0; i < boxes.length; i++) {
            Mailbox box = boxes[i] = new Mailbox();
            Truth.repeat("browser-" + (i + 1), () -> {
                try {
                    box.poll();
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
                Truth.sleep(0.005);
            });
        }
        Random random = new Random(4);
        Truth.repeat("notifier", () -> {
            Truth.sleep(0.1 + random.nextDouble() * 0.3);
            boxes[random.nextInt(boxes.length)].leave("news");
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("browsers wait until there is news for them")
            .object().culprit().thread().victims().noShare().say();
    }
}
