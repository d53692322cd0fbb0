import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A shop with three connections to its database and a catalogue of articles in memory, behind a lock. Four threads take
 * orders, each on a connection, and look articles up while they have it; two browse, for which what is in memory does.
 *
 * Problem: Catalogue.load, under that lock, takes a connection to load an article that is not there. When articles are
 * forgotten, as they are from the second second on, orders keep the connections and wait for the lock, and whoever has
 * that waits for a connection. Truth: stuck, orders and browsers wait for the ReentrantLock because of Catalogue.load.
 */
final class LoadUnderCacheLockNeedsConnection {
    record Connection(int number) {
        String query(int article) throws InterruptedException {
            Thread.sleep(3);
            return "article " + article + " by " + number;
        }
    }

    static final class Connections {
        private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(3);

        Connections() {
            for (int number = 1; number <= 3; number++) {
                idle.add(new Connection(number));
            }
        }

        Connection open() throws InterruptedException {
            return idle.take();
        }

        void close(Connection connection) {
            idle.add(connection);
        }
    }

    static final class Catalogue {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, String> articles = new HashMap<>();
        private final Connections connections;

        Catalogue(Connections connections) {
            this.connections = connections;
            for (int article = 0; article < 50; article++) {
                articles.put(article, "article " + article);
            }
        }

        String article(int number) throws InterruptedException {
            lock.lock();
            try {
                String article = articles.get(number);
                if (article == null) {
                    article = load(number);
                    articles.put(number, article);
                }
                return article;
            } finally {
                lock.unlock();
            }
        }

        private String load(int number) throws InterruptedException {
            Connection connection = connections.open();
            try {
                return connection.query(number);
            } finally {
                connections.close(connection);
            }
        }

        void forget(int number) {
            lock.lock();
            try {
                articles.remove(number);
            } finally {
                lock.unlock();
            }
        }
    }

    record Orders(Catalogue catalogue, Connections connections) {
        void place(int first) throws InterruptedException {
            Connection connection = connections.open();
            try {
                for (int i = 0; i < 4; i++) {
                    String article = catalogue.article((first + i * 9) % 50);
                    connection.query(article.length());
                }
            } finally {
                connections.close(connection);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Connections connections = new Connections();
        Catalogue catalogue = new Catalogue(connections);
        Orders orders = new Orders(catalogue, connections);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int[] number = {i};
            threads.add(Truth.repeat("order-" + i, () -> {
                orders.place(number[0] += 7);
                Thread.sleep(3);
            }));
        }
        for (int i = 1; i <= 2; i++) {
            int[] number = {i * 20};
            threads.add(Truth.repeat("browser-" + i, () -> {
                catalogue.article((number[0] += 3) % 50);
                Thread.sleep(6);
            }));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("to load an article under the lock takes a connection that who waits for it has")
            .object("ReentrantLock", "NonfairSync", "ArrayBlockingQueue", "ConditionObject")
            .culprit("Catalogue.load", "Catalogue.article").thread("order-*", "browser-*")
            .victims("order-*", "browser-*").noShare(), seconds);
        Thread.sleep(1200);
        Truth.repeat("expiry", () -> {
            catalogue.forget((int) (Math.random() * 50));
            Thread.sleep(5);
        });
        Thread.sleep((long) (seconds * 2000));
    }
}
