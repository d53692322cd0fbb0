import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five caretakers (lease, cache, disk, sessions, metrics) work for a millisecond and pause, by waiting for the signal
 * to stop for as long as the pause is to be: a latch, a future, a condition, a monitor, a permit. Two threads each.
 *
 * Problem: none: nobody has told them to stop, so every wait ends by its timeout. Truth: healthy. Measured: how often
 * they have worked.
 */
final class StopSignalsUsedAsPausesHealthy {
    static final CountDownLatch STOPPED = new CountDownLatch(1);
    static final CompletableFuture<Void> CLOSED = new CompletableFuture<>();
    static final Semaphore END = new Semaphore(0);
    static final ReentrantLock LOCK = new ReentrantLock();
    static final Condition STOPPING = LOCK.newCondition();
    static final Object LIFE = new Object();
    static final AtomicLong WORKED = new AtomicLong();

    static void work() {
        Truth.sleep(0.001);
        WORKED.incrementAndGet();
    }

    static boolean isClosedWithin(long millis) throws InterruptedException, ExecutionException {
        try {
            CLOSED.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException exception) {
            return false;
        }
    }

    static void renewLeases() throws InterruptedException {
        while (!STOPPED.await(200, TimeUnit.MILLISECONDS)) {
            work();
        }
    }

    static void wipeCache() throws InterruptedException, ExecutionException {
        while (!isClosedWithin(150)) {
            work();
        }
    }

    static void checkDisk() throws InterruptedException {
        LOCK.lock();
        try {
            STOPPING.awaitNanos(250_000_000);
        } finally {
            LOCK.unlock();
        }
        work();
    }

    static void expireSessions() throws InterruptedException {
        synchronized (LIFE) {
            LIFE.wait(300);
        }
        work();
    }

    static void reportMetrics() throws InterruptedException {
        while (!END.tryAcquire(100, TimeUnit.MILLISECONDS)) {
            work();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("lease-" + i, StopSignalsUsedAsPausesHealthy::renewLeases);
            Truth.repeat("cache-" + i, StopSignalsUsedAsPausesHealthy::wipeCache);
            Truth.repeat("disk-" + i, StopSignalsUsedAsPausesHealthy::checkDisk);
            Truth.repeat("sessions-" + i, StopSignalsUsedAsPausesHealthy::expireSessions);
            Truth.repeat("metrics-" + i, StopSignalsUsedAsPausesHealthy::reportMetrics);
        }
        Truth.sleep(seconds);
        System.out.printf("worked %d times%n", WORKED.get());
        Truth.healthy("the signal to stop is waited for as long as a pause lasts").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}
