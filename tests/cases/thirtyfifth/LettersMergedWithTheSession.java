import de.post.lease.LeasePool;
import de.post.lease.Register;
import de.post.mail.Counter;
import de.post.mail.MailMerge;

/**
 * A post office has two sessions with its register, lent by a pool made at home (a lock, a condition,
 * waited for in turns of 20 ms). Five counters look up an address, 2 ms. A sweeper looks for sessions
 * that are overdue.
 *
 * Problem: a mail merge composes its letters with the session in hand, MailMerge.compose, 12 ms for
 * each of three letters. Truth: counters wait for the pool's condition because of MailMerge.compose.
 * Measured: the part of the counters' waiting during which merges have a session, evenly shared with
 * counters, times the part of a merge that is not the register's.
 */
final class LettersMergedWithTheSession {
    static final Truth.Diary DIARY = new Truth.Diary();

    static void leased(int who, long asked, long from, long to) {
        if (who == 1) {
            DIARY.waited(asked, from);
        }
        DIARY.held(who, from, to);
    }

    public static void main(String[] arguments) {
        LeasePool pool = new LeasePool(2);
        Register register = new Register(pool, LettersMergedWithTheSession::leased);
        MailMerge merge = new MailMerge(register);
        Counter counter = new Counter(register);
        for (int i = 1; i <= 2; i++) {
            int first = 100 * i;
            Truth.repeat("merge-" + i, () -> {
                merge.run(first);
                Thread.sleep(20);
            });
        }
        for (int i = 1; i <= 5; i++) {
            int person = i;
            Truth.repeat("counter-" + i, () -> {
                counter.serve(person);
                Thread.sleep(6);
            });
        }
        int[] overdue = new int[1];
        Truth.repeat("lease-sweeper", () -> {
            overdue[0] += pool.overdue(5_000_000_000L);
            Thread.sleep(250);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("letters are composed with a session in hand").object("ConditionObject", "LeasePool")
            .culprit("MailMerge.compose").thread("merge-*").victims("counter-*")
            .share(DIARY.share(0) * 36 / 42.3, "the counters' waiting for a session").say();
        pool.close();
        Runtime.getRuntime().halt(0);
    }
}
