import java.util.concurrent.ThreadLocalRandom;

/**
 * The thesis' frequently-acquired-lock pattern (004 §5.3): two locks held equally long, 32 ms, one of
 * them taken three times as often. That one is the bottleneck. Arguments: those of {@link LockPattern}.
 */
class FrequentlyAcquiredLock {
    static final double OFTEN = 0.75;
    static final HeldLock FREQUENT = new HeldLock("frequent", 32);
    static final HeldLock RARE = new HeldLock("rare", 32);

    public static void main(String[] arguments) throws InterruptedException {
        LockPattern.run(arguments, FrequentlyAcquiredLock::round, FREQUENT, RARE);
    }

    static void round() {
        if (ThreadLocalRandom.current().nextDouble() < OFTEN) {
            frequent();
        } else {
            rare();
        }
    }

    static void frequent() {
        if (LockPattern.intrinsic) {
            synchronized (FREQUENT.monitor) {
                LockPattern.hold(FREQUENT, true);
            }
            return;
        }
        boolean waited = !FREQUENT.lock.tryLock();
        if (waited) {
            FREQUENT.lock.lock();
        }
        try {
            LockPattern.hold(FREQUENT, waited);
        } finally {
            FREQUENT.lock.unlock();
        }
    }

    static void rare() {
        if (LockPattern.intrinsic) {
            synchronized (RARE.monitor) {
                LockPattern.hold(RARE, true);
            }
            return;
        }
        boolean waited = !RARE.lock.tryLock();
        if (waited) {
            RARE.lock.lock();
        }
        try {
            LockPattern.hold(RARE, waited);
        } finally {
            RARE.lock.unlock();
        }
    }
}
