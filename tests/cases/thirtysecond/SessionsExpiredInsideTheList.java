import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sessions of a forum are in a CopyOnWriteArrayList. Twelve visitors, virtual threads where the JDK has them, log
 * in, read some pages, and log out.
 *
 * Problem: a sweeper calls removeIf of the list, which has the list's lock while Session.isExpired asks the store,
 * for 1.2 ms each. Truth: visitors wait to enter the list's monitor (an Object) because of Session.isExpired.
 * Measured: the part of the visitors' logging in and out during which the sweeper is in the list.
 */
final class SessionsExpiredInsideTheList {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger NUMBERS = new AtomicInteger();

    static final class Session {
        private final int number = NUMBERS.incrementAndGet();

        boolean isExpired() {
            Truth.sleep(0.0012);
            return number % 97 == 0;
        }
    }

    static final class Sessions {
        private final CopyOnWriteArrayList<Session> open = new CopyOnWriteArrayList<>();

        void login(Session session) {
            long from = System.nanoTime();
            open.add(session);
            DIARY.waited(from, System.nanoTime());
        }

        void logout(Session session) {
            long from = System.nanoTime();
            open.remove(session);
            DIARY.waited(from, System.nanoTime());
        }

        int sweep() {
            long from = System.nanoTime();
            open.removeIf(Session::isExpired);
            DIARY.held(0, from, System.nanoTime());
            return open.size();
        }
    }

    static void visit(Sessions sessions) {
        try {
            while (true) {
                Session session = new Session();
                sessions.login(session);
                Thread.sleep(25);
                sessions.logout(session);
                Thread.sleep(10);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Sessions sessions = new Sessions();
        for (int i = 0; i < 20; i++) {
            sessions.login(new Session());
        }
        Truth.repeat("sweeper", () -> {
            sessions.sweep();
            Thread.sleep(30);
        });
        for (int i = 1; i <= 12; i++) {
            Truth.virtual("visitor-" + i, () -> visit(sessions));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a sweeper asks the store for each session with the list locked")
            .object("Object", "CopyOnWriteArrayList").culprit("Session.isExpired", "Sessions.sweep").thread("sweeper")
            .victims("visitor-*").share(DIARY.share(0), "the visitors' logging in and out").say();
        Runtime.getRuntime().halt(0);
    }
}
