import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Modules that allocate, for themselves and for each other, and count what each allocates of which class; of
 * classes that the JVM makes nothing of by itself.
 * Arguments: what (below), then a number; prints "cell MODULE CLASS OBJECTS BYTES" and, of what is kept,
 * "kept MODULE CLASS OBJECTS BYTES", then "ready", and rests until it is killed.
 *
 * every N: each kind of allocation N times; of some classes one object in four, eight or sixteen is kept, the rest
 * is garbage by the end. young N: the same, and garbage forever after it is "ready", which young collections take.
 * small, large, tasks, pool, graph MB: so many megabytes: small objects; large arrays among small objects;
 * a thread for each task; threads of a pool; linked nodes that live a while.
 */
class Allocations {
    static final String[] MODULES = {"Web", "Orders", "Xml"};
    static final String[] CLASSES = {"Order", "Line", "float[]", "double[]", "Node", "Line[]"};
    static final AtomicLongArray OBJECTS = new AtomicLongArray(MODULES.length * CLASSES.length);
    static final AtomicLongArray BYTES = new AtomicLongArray(MODULES.length * CLASSES.length);
    static final AtomicLongArray KEPT = new AtomicLongArray(MODULES.length * CLASSES.length);
    static final AtomicLongArray KEPT_BYTES = new AtomicLongArray(MODULES.length * CLASSES.length);
    static final int WEB = 0, ORDERS = 1, XML = 2;
    static final int ORDER = 0, LINE = 1, FLOATS = 2, DOUBLES = 3, NODE = 4, LINES = 5;
    static volatile Object sink;
    static Object[] kept;
    static int nKept;

    static class Order { long id; int lines; }

    static class Line { int number; }

    static class Node { Node next; long value; }

    static long array(long header, long bytes) {
        return (header + bytes + 7) / 8 * 8;
    }

    static void count(int module, int what, long n, long bytes) {
        OBJECTS.addAndGet(module * CLASSES.length + what, n);
        BYTES.addAndGet(module * CLASSES.length + what, n * bytes);
    }

    static void keep(int module, int what, Object object, long bytes) {
        if (kept != null && nKept < kept.length) {
            kept[nKept++] = object;
            KEPT.addAndGet(module * CLASSES.length + what, 1);
            KEPT_BYTES.addAndGet(module * CLASSES.length + what, bytes);
        }
    }

    /** The agent of the others. */
    static class Xml {
        static void parse(int size) {
            sink = new float[size / 4];
            count(XML, FLOATS, 1, array(16, size / 4 * 4));
        }

        static void lines(int n) throws ReflectiveOperationException {
            for (int i = 0; i < n; i++) {
                Line line = new Line();
                sink = line;
                if (i % 4 == 0) {
                    keep(XML, LINE, line, 16);
                }
            }
            count(XML, LINE, n, 16);
            for (int i = 0; i < n; i++) {
                Object lines = Array.newInstance(Line.class, 3);
                sink = lines;
                if (i % 8 == 0) {
                    keep(XML, LINES, lines, array(16, 12));
                }
            }
            count(XML, LINES, n, array(16, 12));
        }
    }

    static class Orders {
        static final double[] MODEL = new double[25];

        static {
            count(ORDERS, DOUBLES, 1, array(16, 200));
        }


        static void take(int n) throws ReflectiveOperationException {
            for (int i = 0; i < n; i++) {
                Order order = new Order();
                sink = order;
                if (i % 4 == 0) {
                    keep(ORDERS, ORDER, order, 24);
                }
            }
            count(ORDERS, ORDER, n, 24);
            for (int i = 0; i < n; i++) {
                sink = MODEL.clone();
            }
            count(ORDERS, DOUBLES, n, array(16, 200));
        }

        static void with(int n) throws ReflectiveOperationException {
            take(n);
            Xml.lines(n);
        }
    }

    static class Web {
        static void buffer(int size) {
            sink = new float[size / 4];
            count(WEB, FLOATS, 1, array(16, size / 4 * 4));
        }

        static void nodes(int n) {
            for (int i = 0; i < n; i++) {
                Node node = new Node();
                sink = node;
                if (i % 16 == 0) {
                    keep(WEB, NODE, node, 24);
                }
            }
            count(WEB, NODE, n, 24);
        }

        static void chain(int n) {
            Node first = null;
            for (int i = 0; i < n; i++) {
                Node node = new Node();
                node.next = first;
                first = node;
            }
            sink = first;
            count(WEB, NODE, n, 24);
        }
    }

    static long allocated() {
        long sum = 0;
        for (int i = 0; i < BYTES.length(); i++) {
            sum += BYTES.get(i);
        }
        return sum;
    }

    static void small() throws ReflectiveOperationException {
        Orders.with(1000);
        Web.chain(1000);
        for (int i = 0; i < 500; i++) {
            Web.buffer(40 + i % 100);
        }
    }

    static void large() throws ReflectiveOperationException {
        Web.buffer(4 << 20);
        Orders.with(200);
        Xml.parse(300_000);
        Web.chain(3000);
        Xml.parse(64_000);
        Web.buffer(700_000);
        Orders.take(500);
    }

    static void tasks() throws ReflectiveOperationException, InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Thread thread = new Thread(() -> {
                try {
                    Orders.with(800);
                    Web.buffer(20_000);
                    Xml.parse(5_000);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void pool(ExecutorService pool) throws Exception {
        List<java.util.concurrent.Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(pool.submit(() -> {
                Orders.with(2000);
                Web.chain(2000);
                Xml.parse(100_000);
                return null;
            }));
        }
        for (java.util.concurrent.Future<?> one : all) {
            one.get();
        }
    }

    static Object[] window = new Object[64];

    static void graph(int i) throws ReflectiveOperationException {
        Web.chain(20_000);
        window[i % window.length] = sink;
        Xml.parse(16_000);
        Orders.take(300);
    }

    static void print(String what, AtomicLongArray objects, AtomicLongArray bytes) {
        for (int m = 0; m < MODULES.length; m++) {
            for (int c = 0; c < CLASSES.length; c++) {
                int i = m * CLASSES.length + c;
                if (objects.get(i) > 0) {
                    System.out.println(what + " " + MODULES[m] + " " + CLASSES[c] + " " + objects.get(i)
                        + " " + bytes.get(i));
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String what = arguments[0];
        int n = Integer.parseInt(arguments[1]);
        if (what.equals("every") || what.equals("young")) {
            kept = new Object[n];
            Orders.with(n);
            Web.chain(n);
            Web.nodes(n);
            for (int i = 0; i < n; i++) {
                Web.buffer(i % 200);
                Xml.parse(i % 300);
            }
            sink = null;
            System.gc();
        } else {
            ExecutorService pool = Executors.newFixedThreadPool(4);
            for (int i = 0; allocated() < (long) n << 20; i++) {
                switch (what) {
                    case "small": small(); break;
                    case "large": large(); break;
                    case "tasks": tasks(); break;
                    case "pool": pool(pool); break;
                    default: graph(i);
                }
            }
            pool.shutdown();
            pool.awaitTermination(1, TimeUnit.MINUTES);
        }
        print("cell", OBJECTS, BYTES);
        print("kept", KEPT, KEPT_BYTES);
        System.out.println("ready");
        while (what.equals("young")) {
            for (int i = 0; i < 200; i++) {
                sink = new byte[10_000];
            }
            Thread.sleep(10);
        }
        Thread.sleep(600_000);
    }
}
