import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks on synchronizers that belong to threads that do not live, each to another one, as many times as
 * the first argument says: in turn to one that was never started, one that has ended, and one whose
 * constructor never ran. Then "late", whom it belonged to before it was started, parks 100 times, prints
 * `done` and stays until killed.
 */
class StrangeOwners {
    static class Held extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        void belongTo(Thread owner) {
            setExclusiveOwnerThread(owner);
        }

        @Override
        protected boolean tryAcquire(int ignored) {
            return false;
        }
    }

    static class Named extends Thread {
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        Method allocate = type.getMethod("allocateInstance", Class.class);
        Held held = new Held();
        for (int i = 0; i < rounds; i++) {
            Thread owner = i % 3 == 2 ? (Thread) allocate.invoke(unsafe, Named.class) : new Thread(() -> { }, "owner-" + i);
            if (i % 3 == 1) {
                owner.start();
                owner.join();
            }
            held.belongTo(owner);
            held.tryAcquireNanos(1, 2000);
        }
        Thread late = new Thread(StrangeOwners::park, "late");
        held.belongTo(late);
        held.tryAcquireNanos(1, 1_000_000);
        late.start();
        late.join();
        System.out.println("done");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void park() {
        for (int i = 0; i < 100; i++) {
            LockSupport.parkNanos(StrangeOwners.class, 1_000_000);
        }
    }
}
