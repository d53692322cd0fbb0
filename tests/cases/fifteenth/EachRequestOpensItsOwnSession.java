/**
 * Six requests arrive together every 100 ms, each of which is a thread of its own, virtual where the JDK has them. A
 * request needs a session with a partner for 5 ms.
 *
 * Problem: sessions are kept in a ThreadLocal, as they were when there were ten threads for ever; now each request opens
 * one of its own, and Connector.open, which is synchronized, takes 12 ms. Truth: requests wait for the Connector because
 * of Connector.open or SessionOfThread.initialValue, that is each other. Measured: the part of their time until their
 * own session is being opened during which another one is; what takes less than 1 ms is no waiting.
 */
final class EachRequestOpensItsOwnSession {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Session {
        private int uses;

        void call() {
            uses++;
            Truth.sleep(0.005);
        }
    }

    static final class Connector {
        synchronized Session open(long askedAt) {
            long from = System.nanoTime();
            if (from - askedAt > 1_000_000) {
                DIARY.waited(askedAt, from);
            }
            Truth.sleep(0.012);
            DIARY.held(0, from, System.nanoTime());
            return new Session();
        }
    }

    static final class SessionOfThread extends ThreadLocal<Session> {
        private final Connector connector = new Connector();

        @Override
        protected Session initialValue() {
            return connector.open(System.nanoTime());
        }
    }

    record Request(SessionOfThread sessions) implements Runnable {
        @Override
        public void run() {
            sessions.get().call();
            sessions.get().call();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        SessionOfThread sessions = new SessionOfThread();
        int[] number = {0};
        Truth.repeat("front", () -> {
            for (int i = 0; i < 6; i++) {
                Truth.virtual("request-" + ++number[0], new Request(sessions));
            }
            Thread.sleep(100);
        });
        DIARY.fill(seconds);
        Truth.of("a session per thread, and a thread per request").object("Connector")
            .culprit("Connector.open", "SessionOfThread.initialValue").thread("request-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for their session").say();
        System.exit(0);
    }
}
