import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A chat server with three event loops, each with a queue of tasks and a selector that is woken for them; a session
 * has a thread that waits for messages to its user, and a pool of six is there for images, which nobody sends.
 *
 * Problem: none: twenty people, who think a second or two before they write. Truth: healthy.
 */
final class ChatServerAtNightHealthy {
    static final class EventLoop implements Runnable {
        private final Selector selector = Selector.open();
        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private int done;

        EventLoop() throws IOException {
        }

        void execute(Runnable task) {
            tasks.add(task);
            selector.wakeup();
        }

        @Override
        public void run() {
            try {
                while (selector.isOpen()) {
                    selector.select(1000);
                    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                        task.run();
                        done++;
                    }
                }
            } catch (IOException exception) {
                System.out.println(exception);
            }
        }
    }

    static final class Session {
        private final LinkedTransferQueue<String> inbox = new LinkedTransferQueue<>();
        private long shown;

        void show() {
            try {
                while (true) {
                    shown += inbox.take().length();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Server {
        private final List<EventLoop> loops = new ArrayList<>();
        private final List<Session> sessions = new ArrayList<>();

        EventLoop loopOf(int user) {
            return loops.get(user % loops.size());
        }

        void send(int from, int to, String text) {
            loopOf(from).execute(() -> loopOf(to).execute(() -> sessions.get(to).inbox.put(text)));
        }

        int load() {
            int sum = 0;
            for (EventLoop loop : loops) {
                CompletableFuture<Integer> done = new CompletableFuture<>();
                loop.execute(() -> done.complete(loop.done));
                sum += done.join();
            }
            return sum;
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        Server server = new Server();
        for (int i = 0; i < 3; i++) {
            EventLoop loop = new EventLoop();
            server.loops.add(loop);
            Truth.start("loop-" + i, loop);
        }
        for (int user = 0; user < 20; user++) {
            Session session = new Session();
            server.sessions.add(session);
            Truth.start("session-" + user, session::show);
        }
        var images = Executors.newFixedThreadPool(6, work -> {
            Thread thread = new Thread(work, "image");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 6; i++) {
            images.execute(() -> { });
        }
        ScheduledExecutorService people = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "people");
            thread.setDaemon(true);
            return thread;
        });
        for (int user = 0; user < 20; user++) {
            int from = user;
            people.scheduleWithFixedDelay(() -> server.send(from, ThreadLocalRandom.current().nextInt(20), "hello"),
                user * 40, 1100 + user * 57, TimeUnit.MILLISECONDS);
        }
        Truth.start("load-page", () -> {
            while (server.load() >= 0) {
                Truth.sleep(0.4);
            }
        });
        Thread.sleep((long) (seconds * 1000));
        System.out.println("messages: " + server.load());
        Truth.healthy("event loops, inboxes and a pool, all with little to do").object().culprit().thread().victims()
            .noShare().say();
    }
}
