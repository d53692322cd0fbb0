import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A translation worker has a queue and parks when it is empty; whoever adds something unparks it. All
 * made at home. Three desks ask it and wait for a CompletableFuture. A supervisor starts another
 * worker when one has died.
 *
 * Problem: after two fifths of the time a text makes the worker die. The new one takes over the queue,
 * but those who add still unpark the former one (Inbox.add, as Supervisor.restart does not tell it).
 * Truth: stuck; desks wait for the CompletableFuture (and the worker for being woken) because of
 * Inbox.add or Supervisor.restart.
 */
final class WakesGoToTheFormerWorker {
    record Text(String words, CompletableFuture<String> translation) {
    }

    static final class Inbox {
        private final ConcurrentLinkedQueue<Text> texts = new ConcurrentLinkedQueue<>();
        private Thread reader;

        void add(Text text) {
            texts.add(text);
            LockSupport.unpark(reader);
        }

        Text next() {
            Text text = texts.poll();
            while (text == null) {
                LockSupport.park(this);
                text = texts.poll();
            }
            return text;
        }
    }

    static final class Translator implements Runnable {
        private final Inbox inbox;

        Translator(Inbox inbox) {
            this.inbox = inbox;
        }

        @Override
        public void run() {
            while (true) {
                Text text = inbox.next();
                if (text.words().isEmpty()) {
                    text.translation().complete("");
                    return;
                }
                Truth.sleep(0.003);
                text.translation().complete(text.words().toUpperCase());
            }
        }
    }

    static final class Supervisor implements Truth.Step {
        private final Inbox inbox;
        private Thread worker;

        Supervisor(Inbox inbox) {
            this.inbox = inbox;
            restart();
            inbox.reader = worker;
        }

        private void restart() {
            worker = Truth.start("translator", new Translator(inbox));
        }

        @Override
        public void run() throws InterruptedException {
            if (!worker.isAlive()) {
                restart();
            }
            Thread.sleep(100);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Inbox inbox = new Inbox();
        Truth.repeat("supervisor", new Supervisor(inbox));
        String[] words = {"good morning"};
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            all.add(Truth.repeat("desk-" + i, () -> {
                CompletableFuture<String> translation = new CompletableFuture<>();
                inbox.add(new Text(words[0], translation));
                translation.join();
                Thread.sleep(11);
            }));
        }
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("who adds a text wakes a worker that has died")
            .object("CompletableFuture", "Signaller", "Inbox")
            .culprit("Inbox.add", "Inbox.next", "Translator.run", "Supervisor.restart").thread("translator", "desk-*")
            .victims("desk-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        inbox.add(new Text("", new CompletableFuture<>()));
        Truth.sleep(seconds + 2);
    }
}
