import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;

/**
 * Browsers make four calls at a time with one session each, which serves one after the other (a ReentrantLock of
 * the session); after some calls the session is a new one. Twenty-four calls run at a time, each on a virtual
 * thread where the JDK has them.
 *
 * Problem: a call for the basket ranks recommendations with the session's lock, Recommender.rank, 16 ms; the other
 * calls price the basket, PriceList.price, 4 ms. Truth: calls wait for a ReentrantLock because of Recommender.rank.
 * Measured: the part of the calls' waiting for their session during which it ranks, against pricing.
 */
final class CallsShareTheirSession {
    static final class Session {
        final ReentrantLock lock = new ReentrantLock();
        final Truth.Diary diary = new Truth.Diary();
    }

    static final class Recommender {
        private final byte[] tastes = new byte[16 * 1024];

        void rank() {
            CRC32 rank = new CRC32();
            for (int i = 0; i < 4; i++) {
                rank.update(tastes);
                Truth.sleep(0.004);
            }
        }
    }

    static final class PriceList {
        void price() {
            Truth.sleep(0.004);
        }
    }

    static final class Browser {
        private final List<Session> sessions = Collections.synchronizedList(new ArrayList<>());
        private final Recommender recommender = new Recommender();
        private final PriceList prices = new PriceList();
        private volatile Session session;

        Browser() {
            login();
        }

        void login() {
            session = new Session();
            sessions.add(session);
        }

        void call(int turn) {
            Session current = session;
            long asked = System.nanoTime();
            current.lock.lock();
            long from = System.nanoTime();
            current.diary.waited(asked, from);
            try {
                if (turn == 1) {
                    recommender.rank();
                } else {
                    prices.price();
                }
                current.diary.held(turn == 1 ? 0 : 1, from, System.nanoTime());
            } finally {
                current.lock.unlock();
            }
        }
    }

    static void run(Browser browser, int turn) {
        try {
            for (int round = 1; ; round++) {
                browser.call(turn);
                if (turn == 0 && round % 25 == 0) {
                    browser.login();
                }
                Thread.sleep(turn == 1 ? 30 : 12);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Browser> browsers = new ArrayList<>();
        for (int k = 0; k < 6; k++) {
            Browser browser = new Browser();
            browsers.add(browser);
            for (int i = 0; i < 4; i++) {
                int turn = i;
                Truth.virtual("call-" + i, () -> run(browser, turn));
            }
        }
        Truth.sleep(Truth.seconds(arguments));
        double sum = 0, whole = 0;
        for (Browser browser : browsers) {
            for (Session session : new ArrayList<>(browser.sessions)) {
                double waited = session.diary.waitedSeconds();
                sum += session.diary.share(0) * waited;
                whole += waited;
            }
        }
        Truth.of("recommendations are ranked with the session locked").object("ReentrantLock").culprit("Recommender.rank")
            .thread("call-*").victims("call-*").share(sum / whole, "the calls' waiting for their session").say();
        Runtime.getRuntime().halt(0);
    }
}
