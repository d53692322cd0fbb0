import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Eight look-ups and two exports share nine sessions of a file server: who needs one takes it from a queue and puts it
 * back.
 *
 * Problem: Export.write ends early if a customer has no files, and does not put its session back. There are such
 * customers now and then; from the third second on, four sessions are left for everybody, later three. Truth: look-ups
 * wait for an ArrayBlockingQueue because of Export.write. Measured: who has the sessions, those that were lost until
 * the end, evenly shared, against the time to get one.
 */
final class EmptyExportsKeepSessions {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int LOST = 0, USED = 1;

    record Session(int number) {
    }

    static final class Sessions {
        private final BlockingQueue<Session> idle = new ArrayBlockingQueue<>(9);

        Sessions() {
            for (int number = 1; number <= 9; number++) {
                idle.add(new Session(number));
            }
        }

        Session borrow() throws InterruptedException {
            long asked = System.nanoTime();
            Session session = idle.take();
            DIARY.waited(asked, System.nanoTime());
            return session;
        }

        void giveBack(Session session, long since) {
            DIARY.held(USED, since, System.nanoTime());
            idle.add(session);
        }
    }

    record LookUp(Sessions sessions) {
        void find() throws InterruptedException {
            Session session = sessions.borrow();
            long since = System.nanoTime();
            try {
                Thread.sleep(7);
            } finally {
                sessions.giveBack(session, since);
            }
        }
    }

    static final class Export {
        private final Sessions sessions;
        private final List<Long> lost = new ArrayList<>();

        Export(Sessions sessions) {
            this.sessions = sessions;
        }

        void write(int files) throws InterruptedException {
            Session session = sessions.borrow();
            long since = System.nanoTime();
            if (files == 0) {
                lost.add(since);
                return;
            }
            Thread.sleep(2 + files);
            sessions.giveBack(session, since);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Sessions sessions = new Sessions();
        LookUp lookUp = new LookUp(sessions);
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("look-up-" + i, () -> {
                lookUp.find();
                Thread.sleep(4);
            });
        }
        int[][] emptyAfter = {{400, 1200, 2000}, {800, 1600, 5800}};
        List<Export> exports = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 1; i <= 2; i++) {
            Export export = new Export(sessions);
            exports.add(export);
            int[] empty = emptyAfter[i - 1], next = {0};
            Truth.repeat("export-" + i, () -> {
                Thread.sleep(40);
                boolean none = next[0] < empty.length && System.nanoTime() - start > empty[next[0]] * 1_000_000L;
                next[0] += none ? 1 : 0;
                export.write(none ? 0 : 5);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        for (Export export : exports) {
            for (long since : List.copyOf(export.lost)) {
                DIARY.held(LOST, since, System.nanoTime());
            }
        }
        System.out.printf("waited %.2f s in all%n", DIARY.waitedSeconds());
        Truth.of("exports without files keep their session; three of nine are left in the end")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("Export.write").thread("export-*")
            .victims("look-up-*").share(DIARY.share(LOST), "the time to get a session").say();
    }
}
