import java.lang.reflect.Constructor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks under ever-changing call chains: recursion of random depth through methods that the JVM
 * interprets, compiles, inlines and, as new implementations are loaded, deoptimises; some of them from
 * class loaders that become garbage, some redefined (with -javaagent:redefinition.jar). The main thread
 * parks too. Arguments: seconds (0 = until killed),
 * threads (4), and `virtual` for virtual threads: these also yield, sleep and stand at monitors in between,
 * some while they are pinned, and are woken by another one; the main thread just waits. Prints `parks N`.
 */
class Chains {
    interface Step {
        void go(int depth, Step[] steps);
    }

    static final Object DOOR = new Object();
    static volatile boolean stopped;
    static boolean virtual;

    public static void main(String[] arguments) throws Exception {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 0;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        virtual = arguments.length > 2;
        long[] parks = new long[threads + 1];
        Thread[] walkers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int me = i + 1;
            String name = "walker-" + me;
            Runnable walk = () -> walk(parks, me);
            walkers[i] = virtual ? Virtual.unstarted(name, walk) : new Thread(walk, name);
            walkers[i].start();
        }
        System.out.println("ready");
        if (seconds > 0) {
            Thread timer = new Thread(() -> stopAfter(seconds), "timer");
            timer.setDaemon(true);
            timer.start();
        }
        if (virtual) {
            Virtual.start("waker", () -> wake(walkers));
        } else {
            walk(parks, 0);
        }
        long sum = parks[0];
        for (int i = 0; i < threads; i++) {
            walkers[i].join();
            sum += parks[i + 1];
        }
        System.out.println("parks " + sum);
    }

    static void stopAfter(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException exception) {
            return;
        }
        stopped = true;
    }

    static void walk(long[] parks, int me) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Step[] steps = {new Left(), new Right()};
        for (long round = 0; !stopped; round++) {
            if (round % 20_000 == 19_999) {
                // a class nobody has seen: its loader and code are garbage at the next turn
                steps = new Step[] {new Left(), new Right(), passing()};
            }
            if (round % 500 == 499) {
                // often, so that other threads are found in the old methods
                Redefinition.again(round % 1_000 == 999 ? Left.class : Right.class);
            }
            steps[random.nextInt(steps.length)].go(random.nextInt(12), steps);
            parks[me]++;
        }
    }

    static void park() {
        if (virtual) {
            unmount(ThreadLocalRandom.current().nextInt(64));
            LockSupport.park(Chains.class);
            return;
        }
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(Chains.class);
    }

    /** Ways to leave the carrier, or not to, other than a park. */
    static void unmount(int way) {
        if (way < 8) {
            Thread.yield();
        } else if (way == 8) {
            try {
                Thread.sleep(0, 1000);
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
        } else if (way < 16) {
            synchronized (DOOR) {
                Thread.onSpinWait();
            }
        }
    }

    /** From ever-changing depths too. */
    static void wake(Thread[] walkers) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (!stopped) {
            wake(walkers, random.nextInt(6));
            Thread.yield();
        }
        for (Thread walker : walkers) {
            while (walker.isAlive()) {
                LockSupport.unpark(walker);
                Thread.yield();
            }
        }
    }

    static void wake(Thread[] walkers, int depth) {
        if (depth > 0) {
            wake(walkers, depth - 1);
            return;
        }
        for (Thread walker : walkers) {
            LockSupport.unpark(walker);
        }
    }

    static void next(int depth, Step[] steps) {
        if (depth <= 0) {
            park();
        } else {
            steps[depth % steps.length].go(depth - 1, steps);
        }
    }

    static Step passing() {
        try {
            Class<?> type = new Reloader("Chains$Passing").loadClass("Chains$Passing");
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object instance = constructor.newInstance();
            var go = type.getDeclaredMethod("go", int.class, Runnable.class);
            go.setAccessible(true);
            return (depth, steps) -> {
                try {
                    go.invoke(instance, depth, (Runnable) () -> next(depth - 1, steps));
                } catch (ReflectiveOperationException exception) {
                    throw new AssertionError(exception);
                }
            };
        } catch (ReflectiveOperationException exception) {
            throw new AssertionError(exception);
        }
    }

    static class Left implements Step {
        @Override
        public void go(int depth, Step[] steps) {
            next(depth, steps);
        }
    }

    static class Right implements Step {
        @Override
        public void go(int depth, Step[] steps) {
            if (depth % 3 == 0) {
                next(depth - 1, steps);
            } else {
                next(depth, steps);
            }
        }
    }

    /** Loaded anew by each Reloader. */
    static class Passing {
        void go(int depth, Runnable rest) {
            rest.run();
        }
    }
}
