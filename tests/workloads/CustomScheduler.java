import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that a scheduler of the program's own runs, on two platform threads "porter-*" that
 * are no carriers by their class; needs --add-opens java.base/java.lang=ALL-UNNAMED. Eight of them,
 * guest-0 …, park, wait for a monitor and enter a contended one, ROUNDS (argument) times each; the
 * contended one is held by the main thread. Prints `parks N waits N entries N` and ends.
 */
class CustomScheduler {
    static final int GUESTS = 8;
    static final Object bell = new Object(), door = new Object();
    static final AtomicInteger arrived = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        ExecutorService porters =
            Executors.newFixedThreadPool(2, task -> new Thread(task, "porter"));
        List<Thread> guests = new ArrayList<>();
        synchronized (door) {
            for (int i = 0; i < GUESTS; i++) {
                guests.add(start(porters, "guest-" + i, () -> visit(rounds)));
            }
            for (Thread guest : guests) {
                while (arrived.get() < GUESTS || guest.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
            }
        }
        for (Thread guest : guests) {
            guest.join();
        }
        porters.shutdown();
        System.out.println("parks " + GUESTS * rounds + " waits " + GUESTS * rounds + " entries "
                           + GUESTS);
    }

    static void visit(int rounds) {
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(CustomScheduler.class, 200_000);
            synchronized (bell) {
                try {
                    bell.wait(1);
                } catch (InterruptedException exception) {
                    throw new AssertionError(exception);
                }
            }
        }
        arrived.incrementAndGet();
        synchronized (door) {
            door.hashCode();
        }
    }

    static Thread start(Executor scheduler, String name, Runnable task) throws Exception {
        Constructor<?> constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                                         .getDeclaredConstructor(Executor.class);
        constructor.setAccessible(true);
        Object builder = constructor.newInstance(scheduler);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        type.getMethod("name", String.class).invoke(builder, name);
        Method start = type.getMethod("start", Runnable.class);
        return (Thread) start.invoke(builder, task);
    }
}
