import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks under call chains of classes that come and go: each Guest has a class loader and a name of its
 * own, parks three times and is garbage. The thread "visitor" calls one after the other, so its n-th
 * park is that of guest n / 3. Meanwhile "resident" parks under the same chains again and again,
 * "sitter" stands parked in guest 90001 from before the first guest until after the last, and "debtor"
 * does not park though guest 90002 has woken it. Argument: guests (1000; fewer than 90000). A second after
 * the last guest has left sitter and debtor end; then prints `done` and stays until killed.
 */
class Guests {
    static final Object LOCK = new Object();
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        int guests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        Object turn = new Object();
        Thread sitter = new Thread(() -> invite(90_001, 1, () -> sit()), "sitter");
        Thread debtor = new Thread(() -> owe(turn), "debtor");
        Thread resident = new Thread(() -> reside(), "resident");
        sitter.start();
        debtor.start();
        resident.start();
        while (LockSupport.getBlocker(sitter) == null) {
            Thread.sleep(1);
        }
        invite(90_002, 1, () -> LockSupport.unpark(debtor));
        Thread visitor = new Thread(() -> visit(guests), "visitor");
        visitor.start();
        visitor.join();
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(100);
        }
        over = true;
        LockSupport.unpark(sitter);
        synchronized (turn) {
            turn.notify();
        }
        sitter.join();
        debtor.join();
        resident.join();
        System.out.println("done");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void visit(int guests) {
        for (int i = 0; i < guests; i++) {
            invite(i, 3, () -> park());
            if (i % 20 == 19) {
                System.gc();
            }
        }
    }

    static void sit() {
        while (!over) {
            LockSupport.park(LOCK);
        }
    }

    static void owe(Object turn) {
        synchronized (turn) {
            while (!over) {
                try {
                    turn.wait();
                } catch (InterruptedException exception) {
                    return;
                }
            }
        }
        LockSupport.park(LOCK);
    }

    static void reside() {
        while (!over) {
            LockSupport.parkNanos(LOCK, 2_000_000);
        }
    }

    static void park() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(LOCK);
    }

    static void invite(int number, int times, Runnable deed) {
        try {
            Class<?> type = new Loader(String.format("Guest%05d", number)).define();
            Constructor<?> constructor = type.getDeclaredConstructor(Runnable.class, int.class);
            constructor.setAccessible(true);
            ((Runnable) constructor.newInstance(deed, times)).run();
        } catch (ReflectiveOperationException | IOException exception) {
            throw new AssertionError(exception);
        }
    }

    /** Gives Guest00000 another name. */
    static class Loader extends ClassLoader {
        final String name;

        Loader(String name) {
            super(Guests.class.getClassLoader());
            this.name = name;
        }

        Class<?> define() throws IOException {
            try (InputStream in = Guests.class.getResourceAsStream("Guest00000.class")) {
                String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                byte[] renamed =
                    bytes.replace("Guest00000", name).getBytes(StandardCharsets.ISO_8859_1);
                return defineClass(name, renamed, 0, renamed.length);
            }
        }
    }
}

class Guest00000 implements Runnable {
    final Runnable deed;
    final int times;

    Guest00000(Runnable deed, int times) {
        this.deed = deed;
        this.times = times;
    }

    @Override
    public void run() {
        for (int i = 0; i < times; i++) {
            deed.run();
        }
    }
}
