import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A shop's page asks for five widgets at once. A filter serves one request of a session at a time, in
 * the monitor of the session's mutex; three customers load a page each 90 ms; twelve threads serve.
 *
 * Problem: the widget with recommendations ranks the whole range, Recommender.rank, 34 ms, and the
 * others of the page wait for the mutex meanwhile. Truth: threads of the server wait for the Mutex
 * because of Recommender.rank. Measured: the part of their waiting for a mutex during which that
 * session's recommendations are ranked.
 */
final class WidgetsQueueForTheSessionMutex {
    static final class Mutex {
    }

    static final class HttpSession {
        final Mutex mutex = new Mutex();
        final Truth.Diary diary = new Truth.Diary();
        final Map<String, Object> attributes = new HashMap<>();
    }

    interface Controller {
        String handle(HttpSession session);

        default int suspect() {
            return 1;
        }
    }

    static final class Recommender implements Controller {
        @Override
        public String handle(HttpSession session) {
            return "you may like " + rank(session.attributes.size());
        }

        private int rank(int seen) {
            int best = seen;
            for (int shelf = 0; shelf < 17; shelf++) {
                Truth.sleep(0.002);
                best = Math.max(best, shelf * 31 % 17);
            }
            return best;
        }

        @Override
        public int suspect() {
            return 0;
        }
    }

    static final class SessionFilter {
        String serve(HttpSession session, Controller controller) {
            long asked = System.nanoTime();
            synchronized (session.mutex) {
                long from = System.nanoTime();
                session.diary.waited(asked, from);
                try {
                    return controller.handle(session);
                } finally {
                    session.diary.held(controller.suspect(), from, System.nanoTime());
                }
            }
        }
    }

    private static Controller widget(String name, double seconds) {
        return session -> {
            Truth.sleep(seconds);
            session.attributes.merge(name, 1, (a, b) -> (int) a + (int) b);
            return name;
        };
    }

    public static void main(String[] arguments) {
        int[] number = new int[1];
        ThreadPoolExecutor server = new ThreadPoolExecutor(12, 12, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
            work -> Truth.daemon("http-nio-8080-exec-" + ++number[0], work));
        SessionFilter filter = new SessionFilter();
        List<Controller> page = new ArrayList<>(List.of(new Recommender(), widget("basket", 0.002), widget("news", 0.001),
            widget("wish list", 0.003), widget("address", 0.001)));
        List<HttpSession> sessions = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            HttpSession session = new HttpSession();
            Random random = new Random(i);
            sessions.add(session);
            Truth.repeat("customer-" + i, () -> {
                List<Controller> order = new ArrayList<>(page);
                Collections.shuffle(order, random);
                order.forEach(widget -> server.execute(() -> filter.serve(session, widget)));
                Thread.sleep(90);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        double waited = 0, ranked = 0;
        for (HttpSession session : sessions) {
            waited += session.diary.waitedSeconds();
            ranked += session.diary.waitedSeconds() * session.diary.share(0);
        }
        Truth.of("a session's requests wait while its recommendations are ranked").object("Mutex")
            .culprit("Recommender.rank").thread("http-nio-8080-exec-*").victims("http-nio-8080-exec-*")
            .share(ranked / waited, "the requests' waiting for their session").say();
    }
}
