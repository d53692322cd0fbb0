import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One way to keep too much, or to keep what is needed. Arguments: which, and for how many seconds. Every
 * 20 ms something is done with some 80 kB of entries, beside a megabyte of garbage; every half second
 * the collector is asked for all. Prints "guilty METHOD" where one is, then "ready" at the end, and rests.
 */
class Leaks {
    static volatile Object sink;

    static class Entry {
        final long[] value = new long[121]; // 1 000 bytes with this object
        Object more;
    }

    /** Code of somebody else: who opens a session must close it. */
    static class Library {
        static final Map<Integer, Entry> SESSIONS = new HashMap<>();

        static int open(int id) {
            SESSIONS.put(id, new Entry());
            return id;
        }

        static void close(int id) {
            SESSIONS.remove(id);
        }
    }

    static final Map<Integer, Entry> MAP = new HashMap<>();
    static final List<Runnable> LISTENERS = new ArrayList<>();
    static final ThreadLocal<List<Entry>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);
    static final Queue<Entry> QUEUE = new LinkedBlockingQueue<>();
    static final Set<Entry> SEEN = new HashSet<>();
    static final Map<Object, Entry> WEAK = new WeakHashMap<>();
    static final Timer TIMER = new Timer(true);
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    static final Map<Integer, Entry> CACHE = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Entry> eldest) {
            return size() > 8000;
        }
    };
    static final ArrayDeque<Entry> RING = new ArrayDeque<>();
    static Entry[] table = new Entry[8000];
    static byte[][] buffers = new byte[100_000][];

    static void putInMap(int i) {
        MAP.put(i, new Entry());
    }

    static void addListener(int i) {
        Entry state = new Entry();
        LISTENERS.add(() -> sink = state);
    }

    static void inThreadLocal(int i) {
        OF_THREAD.get().add(new Entry());
    }

    static void fillQueue(int i) {
        QUEUE.add(new Entry());
        if (i % 4 == 0) {
            QUEUE.poll();
        }
    }

    static void remember(int i) {
        SEEN.add(new Entry());
    }

    static void weakly(int i) {
        Object key = new Object();
        Entry value = new Entry();
        value.more = key;
        WEAK.put(key, value);
    }

    static void schedule(int i) {
        Entry state = new Entry();
        TIMER.schedule(new TimerTask() {
            @Override
            public void run() {
                sink = state;
            }
        }, 3_600_000);
    }

    static void openSession(int i) {
        Library.open(i);
        if (i % 3 == 0) {
            Library.close(i);
        }
    }

    static void keepBuffers(int i) {
        buffers[i] = new byte[1000];
    }

    static void cached(int i) {
        CACHE.put(i, new Entry());
    }

    static void tabled(int i) {
        table[(i * 31) % table.length] = new Entry();
    }

    static void rolling(int i) {
        RING.add(new Entry());
        if (RING.size() > 5000) {
            RING.poll();
        }
    }

    static void closeSession(int i) {
        Library.open(i);
        Library.close(i);
    }

    interface Step {
        void go(int i);
    }

    static Step stepOf(String what) {
        switch (what) {
            case "map": return Leaks::putInMap;
            case "listener": return Leaks::addListener;
            case "threadlocal": return Leaks::inThreadLocal;
            case "queue": return Leaks::fillQueue;
            case "set": return Leaks::remember;
            case "weak": return Leaks::weakly;
            case "timer": return Leaks::schedule;
            case "library": return Leaks::openSession;
            case "buffers": return Leaks::keepBuffers;
            case "cache": return Leaks::cached;
            case "table": return Leaks::tabled;
            case "ring": return Leaks::rolling;
            default: return Leaks::closeSession;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String what = arguments[0];
        Step step = stepOf(what);
        long begin = System.nanoTime(), length = Long.parseLong(arguments[1]) * 1_000_000_000L;
        long collected = begin;
        boolean pooled = what.equals("threadlocal");
        for (int i = 0; System.nanoTime() - begin < length;) {
            int first = i;
            for (; i < first + 80; i++) {
                int at = i;
                if (pooled) {
                    POOL.execute(() -> step.go(at));
                } else {
                    step.go(at);
                }
            }
            for (int k = 0; k < 100; k++) {
                sink = new byte[10_000];
            }
            Thread.sleep(20);
            if (System.nanoTime() - collected > 500_000_000L) {
                System.gc();
                collected = System.nanoTime();
            }
        }
        System.out.println("ready");
        Thread.sleep(600_000);
    }
}
