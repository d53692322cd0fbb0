import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Allocations whose account, thread or end leaves room for doubt, counted by the program itself.
 * Arguments: what (below), how many, the library of natives. Prints "cell KEY/KEY… OBJECTS BYTES" and, of what is
 * kept, "kept KEY/KEY… OBJECTS BYTES"; then "ready", and rests until it is killed.
 *
 * kinds: every way to make an object, by account and class. throws: what is allocated before and after an
 * exception leaves an account, by principal, account and class. sites: by account, site and class. threads: by
 * threads that have ended, by account, thread and class; prints "gone N", how many of their objects are collected.
 * waves: what lives grows in steps. garbage: of N orders one in four is kept, the rest was never collected. exit: the same, collected, and the
 * program ends at once.
 */
class Charges {
    static volatile Object sink;
    static Object[] kept;

    static class Made { }

    static class Reflected { Reflected() { } }

    static class Cloned implements Cloneable {
        Cloned copy() throws CloneNotSupportedException {
            return (Cloned) clone();
        }
    }

    static class Handled { Handled() { } }

    static class Supplied { }

    static class Read implements Serializable {
        private static final long serialVersionUID = 1;
    }

    static class Native { Native() { } }

    static class Raw { }

    static class Order { long id; }

    static class Line { int number; }

    static class Receipt { }

    static class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused() {
            super(null, null, false, false);
        }
    }

    /** Ways to make objects. */
    static class Kinds {
        static void plain(int n) {
            for (int i = 0; i < n; i++) {
                sink = new Made();
                sink = new Made[2];
                sink = new Made[2][3];
                sink = new Receipt[0];
            }
        }

        static void indirect(int n) throws Exception {
            Constructor<Reflected> constructor = Reflected.class.getDeclaredConstructor();
            for (int i = 0; i < n; i++) {
                sink = constructor.newInstance();
            }
            Cloned model = new Cloned();
            for (int i = 1; i < n; i++) {
                sink = model.copy();
            }
            for (int i = 0; i < n; i++) {
                sink = java.lang.reflect.Array.newInstance(Line.class, 4);
            }
        }

        static void byHandles(int n) throws Throwable {
            MethodHandle handle = MethodHandles.lookup().findConstructor(Handled.class,
                    MethodType.methodType(void.class));
            Supplier<Supplied> supplier = Supplied::new;
            for (int i = 0; i < n; i++) {
                sink = (Handled) handle.invokeExact();
                sink = supplier.get();
            }
        }

        static void read(int n) throws Exception {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new Read());
            }
            for (int i = 1; i < n; i++) {
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    sink = in.readObject();
                }
            }
        }
    }

    static class Natives {
        static native void make(Class<?> made, Class<?> raw, int n);
    }

    /** An agent of the others. */
    static class Xml {
        static void refuse(int i) {
            sink = new Order();
            if (i % 2 == 0) {
                throw new Refused();
            }
        }

        static void refuseDeep(int depth) {
            if (depth == 0) {
                refuse(0);
            }
            refuseDeep(depth - 1);
        }
    }

    static class Web {
        /** Thrown through none, through many frames, and through reflection. */
        static void ask(int n) throws ReflectiveOperationException {
            Method refuse = Xml.class.getDeclaredMethod("refuse", int.class);
            for (int i = 0; i < n; i++) {
                try {
                    Xml.refuse(i);
                } catch (Refused refused) {
                    sink = new Line();
                }
                sink = new Receipt();
                try {
                    Xml.refuseDeep(20);
                } catch (Refused refused) {
                    sink = new Line();
                }
                sink = new Receipt();
                try {
                    refuse.invoke(null, i);
                } catch (InvocationTargetException refused) {
                    sink = new Line();
                }
                sink = new Receipt();
            }
        }
    }

    static class Bank {
        static void close() {
            try {
                Xml.refuse(0);
            } catch (Refused refused) {
                sink = new Line();
            } finally {
                sink = new Receipt();
            }
        }
    }

    static class Orders {
        static void take(int n) {
            for (int i = 0; i < n; i++) {
                sink = new Order();
            }
        }

        static void correct(int n) {
            for (int i = 0; i < n; i++) {
                sink = new Order();
            }
        }

        /** So slowly that each sample is stored. */
        static void slowly(int n, int from) throws InterruptedException {
            for (int i = 0; i < n; i++) {
                Order order = new Order();
                sink = order;
                if (i % 4 == 0) {
                    kept[from + i / 4] = order;
                }
                if (i % 50 == 0) {
                    Thread.sleep(5);
                }
            }
            sink = null;
        }

        static void keep(int n) {
            for (int i = 0; i < n; i++) {
                Order order = new Order();
                sink = order;
                if (i % 4 == 0) {
                    kept[i / 4] = order;
                }
            }
            sink = null;
        }
    }

    static void say(String what, String path, long objects, long bytes) {
        System.out.println(what + " " + path + " " + objects + " " + objects * bytes);
    }

    static void kinds(int n) throws Throwable {
        Kinds.plain(n);
        Kinds.indirect(n);
        Kinds.byHandles(n);
        Kinds.read(n);
        Natives.make(Native.class, Raw.class, n);
        for (String one : new String[] {"Made", "Reflected", "Cloned", "Handled", "Supplied", "Read"}) {
            say("cell", "Charges$Kinds/Charges$" + one, n, 16);
        }
        System.out.println("cell Charges$Kinds/Charges$Made[] " + 3L * n + " " + n * (24L + 2 * 32));
        say("cell", "Charges$Kinds/Charges$Made[][]", n, 24);
        say("cell", "Charges$Kinds/Charges$Receipt[]", n, 16);
        say("cell", "Charges$Kinds/Charges$Line[]", n, 32);
        say("cell", "Charges$Natives/Charges$Native", n, 16);
        say("cell", "Charges$Natives/Charges$Raw", n, 16);
        say("cell", "Charges$Natives/Charges$Native[]", n, 32);
        say("cell", "Charges$Natives/float[]", n, 48);
    }

    static void throwing(int n) throws ReflectiveOperationException {
        Web.ask(n);
        for (int i = 0; i < n; i++) {
            Bank.close();
        }
        say("cell", "Charges$Web/Charges$Xml/Charges$Order", 3L * n, 24);
        say("cell", "Charges$Web/Charges$Web/Charges$Line", 2L * n, 16);
        say("cell", "Charges$Web/Charges$Web/Charges$Receipt", 3L * n, 16);
        say("cell", "Charges$Bank/Charges$Xml/Charges$Order", n, 24);
        say("cell", "Charges$Bank/Charges$Bank/Charges$Line", n, 16);
        say("cell", "Charges$Bank/Charges$Bank/Charges$Receipt", n, 16);
    }

    static void sites(int n) {
        Orders.take(n);
        Orders.correct(2 * n);
        say("cell", "Charges$Orders/Charges$Orders.take/Charges$Order", n, 24);
        say("cell", "Charges$Orders/Charges$Orders.correct/Charges$Order", 2L * n, 24);
    }

    static class Teller extends Thread {
        final int n, from;

        Teller(int number, int n) {
            super("teller-" + number);
            this.n = n * (number + 1);
            this.from = 2 * n * number;
        }

        @Override
        public void run() {
            try {
                Orders.slowly(n, from);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static void threads(int n) throws InterruptedException {
        kept = new Object[6 * n];
        List<WeakReference<Thread>> all = new ArrayList<>();
        Teller[] tellers = {new Teller(0, n), new Teller(1, n), new Teller(2, n)};
        Thread.sleep(1500); // what the JVM's own start left to be stored is stored
        for (Teller teller : tellers) {
            all.add(new WeakReference<>(teller));
            teller.start();
            teller.join();
        }
        for (int i = 0; i < tellers.length; i++) {
            say("cell", "Charges$Orders/teller-" + i + "/Charges$Order", tellers[i].n, 24);
            say("kept", "Charges$Orders/teller-" + i + "/Charges$Order", (tellers[i].n + 3) / 4, 24);
        }
        tellers = null;
        int gone = 0;
        for (int attempt = 0; attempt < 20 && gone < all.size(); attempt++) {
            System.gc();
            Thread.sleep(50);
            gone = 0;
            for (WeakReference<Thread> one : all) {
                gone += one.get() == null ? 1 : 0;
            }
        }
        System.out.println("gone " + gone);
    }

    /** Each wave keeps a quarter of N orders more; "wave TIME" is said when the recorder had time to see it. */
    static void waves(int n) throws InterruptedException {
        Object[][] all = new Object[3][];
        for (int i = 0; i < all.length; i++) {
            kept = all[i] = new Object[n];
            Orders.keep(n);
            System.gc();
            Thread.sleep(2500);
            System.out.println("wave " + Instant.now());
        }
        sink = all;
        say("grown", "Charges$Orders/Charges$Order", (n + 3) / 4, 24);
    }

    static void keep(int n) {
        kept = new Object[n];
        Orders.keep(n);
        say("cell", "Charges$Orders/Charges$Order", n, 24);
        say("kept", "Charges$Orders/Charges$Order", (n + 3) / 4, 24);
    }

    public static void main(String[] arguments) throws Throwable {
        int n = Integer.parseInt(arguments[1]);
        System.load(arguments[2]);
        switch (arguments[0]) {
            case "kinds": kinds(n); break;
            case "throws": throwing(n); break;
            case "sites": sites(n); break;
            case "threads": threads(n); break;
            case "waves": waves(n); break;
            case "garbage": keep(n); break;
            case "exit":
                keep(n);
                System.gc();
                return;
            default: throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("ready");
        Thread.sleep(600_000);
    }
}
