import java.security.Permission;

/**
 * Threads that want one lock, under a SecurityManager of the program's own that prints `asked` and
 * refuses when somebody wants to join the system's thread group. Argument: seconds. JDK 23 at most.
 */
@SuppressWarnings("removal")
class Guarded {
    static final Object LOCK = new Object();
    static volatile long spun;

    static final class Guard extends SecurityManager {
        @Override
        public void checkPermission(Permission permission) {
            if (permission.getName().equals("modifyThreadGroup")) {
                System.out.println("asked");
                throw new SecurityException("not this group");
            }
        }
    }

    public static void main(String[] arguments) {
        long endNs = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        System.setSecurityManager(new Guard());
        for (int i = 0; i < 3; i++) {
            new Thread(() -> work(endNs), "worker-" + (i + 1)).start();
        }
        System.out.println("ready");
    }

    static void work(long endNs) {
        while (System.nanoTime() < endNs) {
            synchronized (LOCK) {
                hold();
            }
        }
    }

    static void hold() {
        long endNs = System.nanoTime() + 20_000_000L;
        while (System.nanoTime() < endNs) {
            spun++;
        }
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
