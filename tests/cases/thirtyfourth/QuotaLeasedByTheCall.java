import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A rate limit for several hosts: each leases 25 calls at a time from a server, and gives them out. Sixteen callers,
 * virtual threads where the JDK has them; whoever finds none left leases more, with a lock, for which others wait for
 * at most 80 ms.
 *
 * Problem: a lease takes 28 ms, QuotaServer.lease. The figures for the dashboard are copied with the same lock each
 * 60 ms, QuotaFigures.copy, 9 ms. Truth: callers wait for the ReentrantLock because of QuotaServer.lease. Measured:
 * the part of the waiting for the lock during which calls are leased.
 */
final class QuotaLeasedByTheCall {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class QuotaServer {
        int lease(int calls) {
            long from = System.nanoTime();
            Truth.sleep(0.028);
            DIARY.held(0, from, System.nanoTime());
            return calls;
        }
    }

    static final class Limiter {
        final ReentrantLock lock = new ReentrantLock();
        private final AtomicInteger left = new AtomicInteger();
        private final QuotaServer server = new QuotaServer();
        private int refused;

        boolean admit() throws InterruptedException {
            while (left.decrementAndGet() < 0) {
                long from = System.nanoTime();
                boolean locked = lock.tryLock(80, TimeUnit.MILLISECONDS);
                DIARY.waited(from, System.nanoTime());
                if (!locked) {
                    refused++;
                    return false;
                }
                try {
                    if (left.get() <= 0) {
                        left.set(server.lease(25));
                    }
                } finally {
                    lock.unlock();
                }
            }
            return true;
        }
    }

    static final class QuotaFigures {
        private final Limiter limiter;

        QuotaFigures(Limiter limiter) {
            this.limiter = limiter;
        }

        int copy() {
            limiter.lock.lock();
            long from = System.nanoTime();
            try {
                Truth.sleep(0.009);
                return limiter.left.get();
            } finally {
                DIARY.held(1, from, System.nanoTime());
                limiter.lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Limiter limiter = new Limiter();
        QuotaFigures figures = new QuotaFigures(limiter);
        Truth.repeat("dashboard", () -> {
            figures.copy();
            Thread.sleep(60);
        });
        for (int i = 1; i <= 16; i++) {
            double pause = 0.006 + 0.001 * i;
            Truth.virtual("caller-" + i, () -> {
                while (true) {
                    try {
                        limiter.admit();
                    } catch (InterruptedException exception) {
                        return;
                    }
                    Truth.sleep(pause);
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("who finds no quota left asks a server for more with the lock")
            .object("ReentrantLock", "NonfairSync").culprit("QuotaServer.lease").thread("caller-*")
            .victims("caller-*").share(DIARY.share(0), "the callers' waiting for the lock").say();
    }
}
