import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A home-made pool of four connections in an ArrayBlockingQueue. Ten http threads take a
 * connection for a query of 3 to 5 ms. Three report threads take one, too.
 *
 * Problem: ReportService.render takes its connection at the very beginning and gives it back when
 * the report is rendered and mailed, 250 to 350 ms later, although it needs it for a few. So
 * three of the four connections are nearly always away, and http threads wait in the pool's take.
 *
 * Truth: the queue's condition, the rendering. Measured: who keeps a connection from when to
 * when; an instant of waiting is shared evenly among those who keep one at that instant.
 */
class ReportsKeepPooledConnections {
    static final int REPORT = 0, QUERY = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] args) throws Exception {
        ConnectionPool pool = new ConnectionPool(4);
        OrderDao orders = new OrderDao(pool);
        for (int i = 1; i <= 10; i++) {
            daemon("http-" + i, new OrderController(orders, i)::serve).start();
        }
        for (int i = 1; i <= 3; i++) {
            daemon("report-" + i, new ReportService(pool, i)::work).start();
        }
        ScheduledExecutorService cron =
            Executors.newScheduledThreadPool(2, task -> daemon("cron", task::run));
        cron.scheduleAtFixedRate(() -> { }, 0, 300, TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(args));
        Truth.of("ReportService.render keeps a pooled connection for the whole rendering and "
                + "mailing, 300 ms, so that requests find the pool of four empty")
            .object("ConditionObject", "ArrayBlockingQueue")
            .culprit("ReportService.render", "ReportService.mail")
            .thread("report-*")
            .victims("http-*")
            .share(DIARY.share(REPORT), "the http threads' waiting for a connection")
            .say();
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static Thread daemon(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        return thread;
    }
}

class Connection {
    long since;

    int query(int millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }
}

class ConnectionPool {
    private final BlockingQueue<Connection> idle;

    ConnectionPool(int size) {
        idle = new ArrayBlockingQueue<>(size);
        for (int i = 0; i < size; i++) {
            idle.add(new Connection());
        }
    }

    Connection acquire() throws InterruptedException {
        Connection connection = idle.take();
        connection.since = System.nanoTime();
        return connection;
    }

    void giveBack(Connection connection, int who) throws InterruptedException {
        ReportsKeepPooledConnections.DIARY.held(who, connection.since, System.nanoTime());
        idle.put(connection);
    }
}

record OrderDao(ConnectionPool pool) {
    int load(int order) throws InterruptedException {
        long asked = System.nanoTime();
        Connection connection = pool.acquire();
        ReportsKeepPooledConnections.DIARY.waited(asked, System.nanoTime());
        try {
            return connection.query(3 + order % 3);
        } finally {
            pool.giveBack(connection, ReportsKeepPooledConnections.QUERY);
        }
    }
}

class OrderController {
    private final OrderDao dao;
    private final Random random;

    OrderController(OrderDao dao, int seed) {
        this.dao = dao;
        this.random = new Random(seed);
    }

    void serve() throws InterruptedException {
        while (true) {
            showOrder(random.nextInt(10000));
            Thread.sleep(10 + random.nextInt(20));
        }
    }

    private String showOrder(int order) throws InterruptedException {
        return "order " + dao.load(order);
    }
}

class ReportService {
    private final ConnectionPool pool;
    private final Random random;

    ReportService(ConnectionPool pool, int seed) {
        this.pool = pool;
        this.random = new Random(40 + seed);
    }

    void work() throws InterruptedException {
        while (true) {
            render();
            Thread.sleep(20);
        }
    }

    private void render() throws InterruptedException {
        Connection connection = pool.acquire();
        try {
            int rows = connection.query(8);
            String pages = "page".repeat(rows);
            mail(pages);
        } finally {
            pool.giveBack(connection, ReportsKeepPooledConnections.REPORT);
        }
    }

    private void mail(String pages) throws InterruptedException {
        Thread.sleep(250 + random.nextInt(100));
    }
}
