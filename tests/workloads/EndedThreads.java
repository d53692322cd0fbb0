import java.util.concurrent.locks.LockSupport;

/**
 * Threads that come and go, each waited for as it ends, so that the JVM finds its Thread object locked
 * when it tells who waits for it: COUNT (argument) of them, by four parents. Each parks once. With
 * another argument for a millisecond; nobody waits for them, and there are hardly any other waits. Prints `begins`,
 * `parks N` and `ready`, and stays until killed.
 */
class EndedThreads {
    static final Object blocker = new Object();
    static boolean alone;

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        alone = arguments.length > 1;
        System.out.println("begins");
        Thread[] parents = new Thread[4];
        for (int i = 0; i < parents.length; i++) {
            parents[i] = new Thread(() -> {
                try {
                    raise(count / parents.length);
                } catch (InterruptedException exception) {
                    throw new AssertionError(exception);
                }
            }, "parent-" + i);
            parents[i].start();
        }
        for (Thread parent : parents) {
            parent.join();
        }
        System.out.println("parks " + count / parents.length * parents.length);
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static class Child extends Thread {
        final byte[] baggage = new byte[64];

        Child() {
            super(null, null, "child", 128 << 10);
        }

        @Override
        public void run() {
            if (!alone) {
                LockSupport.unpark(this);
            }
            LockSupport.parkNanos(blocker, 1_000_000);
        }
    }

    static void raise(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            Thread child = new Child();
            child.start();
            while (alone && child.isAlive()) {
                Thread.sleep(1);
            }
            if (alone) {
                continue;
            }
            // held while it ends, more often than not
            synchronized (child) {
                for (int spin = 0; spin < 2000 && child.isAlive(); spin++) {
                    Thread.onSpinWait();
                }
            }
            child.join();
        }
    }
}
