import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Orders put letters into a queue of twenty for the one mailer. The mailer's thread dies of an exception
 * in the second second, and the queue fills.
 *
 * Problem: nobody takes letters any more, since Mailer.deliver threw. Truth: stuck; orders wait for room.
 * Measured: no share.
 */
final class MailerDiedWithItsQueue {
    static final LinkedBlockingQueue<String> LETTERS = new LinkedBlockingQueue<>(20);

    static final class Mailer implements Runnable {
        private int sent;

        @Override
        public void run() {
            try {
                while (true) {
                    deliver(LETTERS.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void deliver(String letter) {
            Truth.sleep(0.008);
            if (++sent > 200) {
                throw new IllegalArgumentException("no such address");
            }
        }
    }

    static final class Orders {
        static void confirm(int number) throws InterruptedException {
            LETTERS.put("order " + number);
        }
    }

    public static void main(String[] arguments) {
        Thread mailer = new Thread(new Mailer(), "mailer");
        mailer.setUncaughtExceptionHandler((thread, exception) -> { });
        mailer.start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Thread thread = new Thread(() -> {
                try {
                    for (int n = 0; ; n++) {
                        Orders.confirm(n);
                        Thread.sleep(20);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }, "orders-" + i);
            threads.add(thread);
            thread.start();
        }
        Truth.sayAndHalt(Truth.stuck("the mailer died, and nobody takes letters from the full queue")
            .object("LinkedBlockingQueue", "ConditionObject").culprit("Mailer.run", "Mailer.deliver")
            .thread("mailer").victims("orders-*").noShare(), Truth.seconds(arguments));
        Truth.hangsOnce(threads);
    }
}
