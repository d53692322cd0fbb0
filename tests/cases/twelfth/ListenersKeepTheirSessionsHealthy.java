import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A pool of eight sessions of a database. Two listeners keep one each, for as long as the program runs, and wait for
 * what the database tells them; five requests need one for 4 ms; each 800 ms eight jobs need one at the same time.
 *
 * Problem: none: there are sessions enough, but for some milliseconds now and then; a price changes each 600 ms, and
 * the schema never does. Truth: healthy.
 */
final class ListenersKeepTheirSessionsHealthy {
    static final class Session {
        private final BlockingQueue<String> notifications = new LinkedBlockingQueue<>();

        String listen() throws InterruptedException {
            return notifications.take();
        }

        void execute(int millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    }

    static final class SessionPool {
        private final BlockingQueue<Session> idle = new LinkedBlockingQueue<>();

        SessionPool(int size) {
            for (int i = 0; i < size; i++) {
                idle.add(new Session());
            }
        }

        Session borrow() throws InterruptedException {
            Session session = idle.poll(2, TimeUnit.SECONDS);
            if (session == null) {
                throw new IllegalStateException("no session within two seconds");
            }
            return session;
        }

        void giveBack(Session session) {
            idle.add(session);
        }
    }

    static void use(SessionPool pool, int millis) throws InterruptedException {
        Session session = pool.borrow();
        try {
            session.execute(millis);
        } finally {
            pool.giveBack(session);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        SessionPool pool = new SessionPool(8);
        Session prices = pool.borrow(), schema = pool.borrow();
        Truth.repeat("price-listener", prices::listen);
        Truth.repeat("schema-listener", schema::listen);
        Truth.repeat("database", () -> {
            Thread.sleep(600);
            prices.notifications.add("price");
        });
        for (int i = 1; i <= 5; i++) {
            int pause = 20 + i * 3;
            Truth.repeat("request-" + i, () -> {
                use(pool, 4);
                Thread.sleep(pause);
            });
        }
        long start = System.nanoTime();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("job-" + i, () -> {
                Thread.sleep(800 - (System.nanoTime() - start) / 1_000_000 % 800);
                use(pool, 3);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        Truth.healthy("two sessions are kept by who listens, and six are enough for the others").object().culprit()
            .thread().victims().noShare().say();
    }
}
