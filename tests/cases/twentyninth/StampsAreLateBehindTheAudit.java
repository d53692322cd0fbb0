import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A scheduler of one thread issues a time stamp every 5 ms; five notaries each wait for the next one, by a Condition,
 * and write 1 ms.
 *
 * Problem: the same scheduler audits the register every 100 ms, Register.audit, 130 ms. Truth: notaries wait for the
 * Condition because of Register.audit. Measured: auditing within the notaries' waiting.
 */
final class StampsAreLateBehindTheAudit {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Stamps {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition issued = lock.newCondition();
        private long last;

        void issue() {
            lock.lock();
            try {
                last++;
                issued.signalAll();
            } finally {
                lock.unlock();
            }
        }

        long next() throws InterruptedException {
            long from = System.nanoTime();
            lock.lock();
            try {
                long old = last;
                while (last == old) {
                    issued.await();
                }
                return last;
            } finally {
                lock.unlock();
                DIARY.waited(from, System.nanoTime());
            }
        }
    }

    static final class Register {
        private int entries;

        void audit() {
            long from = System.nanoTime();
            for (int i = 0; i < 13; i++) {
                Truth.sleep(0.01);
                entries++;
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        Stamps stamps = new Stamps();
        Register register = new Register();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, work -> Truth.daemon("clock", work));
        clock.scheduleWithFixedDelay(stamps::issue, 5, 5, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(register::audit, 100, 100, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("notary-" + i, () -> {
                stamps.next();
                Truth.sleep(0.001);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a scheduler's only thread runs something long").object("ConditionObject", "ReentrantLock")
            .culprit("Register.audit").thread("clock").victims("notary-*")
            .share(DIARY.share(0), "the notaries' waiting for a stamp").say();
    }
}
