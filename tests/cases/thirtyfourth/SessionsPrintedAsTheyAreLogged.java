import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * A registry of 900 sessions, all of it synchronized. Six requests touch a session each, now and then; two desks log
 * users in, for which a directory is asked (Directory.lookup, 3 ms).
 *
 * Problem: each login is logged by java.util.logging with the registry as a parameter, within the monitor, so that
 * Registry.toString, called by the formatter, prints all sessions, some 10 to 15 ms of a processor. Truth: requests wait
 * for the Registry's monitor because of Registry.toString (or what it calls, Session.toString). Measured: the part of
 * the waiting for the monitor during which sessions are printed.
 */
final class SessionsPrintedAsTheyAreLogged {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final Logger LOG = Logger.getLogger("sessions");

    static final class Directory {
        int lookup(int user) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return user % 7;
        }
    }

    static final class Session {
        private final int user, role;
        private long touched = System.nanoTime();

        Session(int user, int role) {
            this.user = user;
            this.role = role;
        }

        @Override
        public String toString() {
            return String.format("user %05d role %d seen %.3f s ago", user, role, (System.nanoTime() - touched) / 1e9);
        }
    }

    static final class Registry {
        private final Map<Integer, Session> sessions = new TreeMap<>();
        private final Directory directory = new Directory();

        synchronized void login(int user) {
            sessions.put(user % 900, new Session(user, directory.lookup(user)));
            LOG.log(Level.INFO, "logged in: {0} of {1}", new Object[] {user, this});
        }

        synchronized long touch(int user) {
            Session session = sessions.get(user % 900);
            if (session == null) {
                return 0;
            }
            session.touched = System.nanoTime();
            return session.touched;
        }

        void fill() {
            for (int user = 0; user < 900; user++) {
                sessions.put(user, new Session(user, user % 7));
            }
        }

        @Override
        public synchronized String toString() {
            long from = System.nanoTime();
            StringBuilder text = new StringBuilder();
            for (Session session : sessions.values()) {
                text.append(session).append("; ");
            }
            DIARY.held(0, from, System.nanoTime());
            return text.toString();
        }
    }

    static final class CountingHandler extends Handler {
        private long written;

        @Override
        public void publish(LogRecord record) {
            written += getFormatter().format(record).length();
        }

        @Override
        public void flush() {
            // nothing is kept
        }

        @Override
        public void close() {
            written = 0;
        }
    }

    public static void main(String[] arguments) {
        CountingHandler handler = new CountingHandler();
        handler.setFormatter(new SimpleFormatter());
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
        Registry registry = new Registry();
        registry.fill();
        for (int i = 1; i <= 2; i++) {
            int[] user = {1000 * i};
            Truth.repeat("login-" + i, () -> {
                registry.login(user[0]++);
                Thread.sleep(30);
            });
        }
        DIARY.clients("http", 6, 7, () -> registry.touch(17));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a log call prints a whole registry within its monitor").object("Registry")
            .culprit("Registry.toString", "Session.toString").thread("login-*").victims("http-*")
            .share(DIARY.share(0), "the requests' waiting for the registry").say();
    }
}
