/**
 * The thesis' large-critical-section pattern (004 §5.2): three locks taken equally often and held 4,
 * 16 and 64 ms. The third one is the bottleneck. Arguments: those of {@link LockPattern}.
 */
class LargeCriticalSection {
    static final HeldLock FIRST = new HeldLock("first", 4);
    static final HeldLock SECOND = new HeldLock("second", 16);
    static final HeldLock THIRD = new HeldLock("third", 64);

    public static void main(String[] arguments) throws InterruptedException {
        LockPattern.run(arguments, LargeCriticalSection::round, FIRST, SECOND, THIRD);
    }

    static void round() {
        first();
        second();
        third();
    }

    static void first() {
        if (LockPattern.intrinsic) {
            synchronized (FIRST.monitor) {
                LockPattern.hold(FIRST, true);
            }
            return;
        }
        boolean waited = !FIRST.lock.tryLock();
        if (waited) {
            FIRST.lock.lock();
        }
        try {
            LockPattern.hold(FIRST, waited);
        } finally {
            FIRST.lock.unlock();
        }
    }

    static void second() {
        if (LockPattern.intrinsic) {
            synchronized (SECOND.monitor) {
                LockPattern.hold(SECOND, true);
            }
            return;
        }
        boolean waited = !SECOND.lock.tryLock();
        if (waited) {
            SECOND.lock.lock();
        }
        try {
            LockPattern.hold(SECOND, waited);
        } finally {
            SECOND.lock.unlock();
        }
    }

    static void third() {
        if (LockPattern.intrinsic) {
            synchronized (THIRD.monitor) {
                LockPattern.hold(THIRD, true);
            }
            return;
        }
        boolean waited = !THIRD.lock.tryLock();
        if (waited) {
            THIRD.lock.lock();
        }
        try {
            LockPattern.hold(THIRD, waited);
        } finally {
            THIRD.lock.unlock();
        }
    }
}
