import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Eight workers borrow a session, use it (3 ms) and give it back; there are enough. All that the pool does is done in
 * one helper, under one ReentrantLock: borrowing, giving back, counting for a monitor.
 *
 * Problem: a session that has been lent ten times is tested when it is next borrowed, which takes 25 ms. Truth: workers
 * wait for the lock because of Sessions.test, under Sessions.borrow. Measured: tests and the rest within the waiting for
 * the lock.
 */
final class SessionsTestedUnderTheLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Session(int lent) {
    }

    static final class Sessions {
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<Session> idle = new ArrayDeque<>();

        private <T> T guarded(int who, Supplier<T> work) {
            long asked = System.nanoTime();
            lock.lock();
            long from = System.nanoTime();
            DIARY.waited(asked, from);
            try {
                return work.get();
            } finally {
                DIARY.held(who, from, System.nanoTime());
                lock.unlock();
            }
        }

        Session borrow() {
            return guarded(0, () -> {
                Session session = idle.isEmpty() ? new Session(0) : idle.poll();
                return session.lent() < 10 ? new Session(session.lent() + 1) : test(session);
            });
        }

        boolean give(Session session) {
            return guarded(1, () -> idle.add(session));
        }

        int count() {
            return guarded(1, idle::size);
        }

        private Session test(Session session) {
            Truth.sleep(0.025);
            return new Session(session.lent() - 10);
        }
    }

    public static void main(String[] arguments) {
        Sessions sessions = new Sessions();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("worker-" + i, () -> {
                Session session = sessions.borrow();
                Truth.sleep(0.003);
                sessions.give(session);
                Thread.sleep(10);
            });
        }
        Truth.repeat("gauge", () -> {
            sessions.count();
            Thread.sleep(50);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("sessions are tested under the pool's lock").object("ReentrantLock", "NonfairSync")
            .culprit("Sessions.test", "Sessions.borrow").thread("worker-*").victims("worker-*")
            .share(DIARY.share(0), "the workers' waiting for the lock").say();
    }
}
