import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;

/**
 * A gateway signs with a hardware module that has three sessions: a pool made at home of a ReentrantLock and a
 * Condition, whose leases are closed by try. Eleven requests, virtual threads where the JDK has them.
 *
 * Problem: two rotations of keys take a session each for Rotation.wrap, 33 ms, again and again; to sign takes
 * Module.sign, 3 ms. Truth: requests wait for a session (ConditionObject) because of Rotation.wrap. Measured: the
 * part of the requests' waiting for a session during which keys are wrapped, evenly shared with those who sign.
 */
final class KeysRotatedWithBothSessions {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Module(int slot) {
        int sign(int hash) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return hash ^ slot;
        }
    }

    static final class Sessions {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition free = lock.newCondition();
        private final Deque<Module> idle = new ArrayDeque<>();

        Sessions(int size) {
            for (int i = 0; i < size; i++) {
                idle.push(new Module(i));
            }
        }

        final class Lease implements AutoCloseable {
            final Module module;

            Lease(Module module) {
                this.module = module;
            }

            @Override
            public void close() {
                lock.lock();
                try {
                    idle.push(module);
                    free.signal();
                } finally {
                    lock.unlock();
                }
            }
        }

        Lease lease(boolean noted) throws InterruptedException {
            long from = System.nanoTime();
            lock.lockInterruptibly();
            try {
                while (idle.isEmpty()) {
                    free.await();
                }
                return new Lease(idle.pop());
            } finally {
                lock.unlock();
                if (noted) {
                    DIARY.waited(from, System.nanoTime());
                }
            }
        }

        int with(boolean noted, ToIntFunction<Module> work) throws InterruptedException {
            try (Lease lease = lease(noted)) {
                return work.applyAsInt(lease.module);
            }
        }
    }

    static final class Rotation {
        static int wrap(Module module) {
            long from = System.nanoTime();
            int key = module.slot();
            for (int i = 0; i < 11; i++) {
                Truth.sleep(0.003);
                key = key * 31 + i;
            }
            DIARY.held(0, from, System.nanoTime());
            return key;
        }
    }

    static void forever(Truth.Step step) {
        try {
            while (true) {
                step.run();
            }
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }

    public static void main(String[] arguments) {
        Sessions sessions = new Sessions(3);
        for (int i = 1; i <= 11; i++) {
            int own = i;
            Random random = new Random(i);
            Truth.virtual("request-" + i, () -> forever(() -> {
                sessions.with(true, module -> module.sign(own));
                Thread.sleep(14 + random.nextInt(10));
            }));
        }
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(40 + i);
            Truth.start("rotation-" + i, () -> forever(() -> {
                sessions.with(false, Rotation::wrap);
                Thread.sleep(8 + random.nextInt(20));
            }));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("keys are rotated with two of three sessions").object("ConditionObject").culprit("Rotation.wrap")
            .thread("rotation-*").victims("request-*").share(DIARY.share(0), "the requests' waiting for a session").say();
    }
}
