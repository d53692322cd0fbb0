import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One way to keep too much, or to keep what is needed. Arguments: which, and for how many seconds. Every
 * 20 ms 80 times something is done with a kilobyte, and the same by somebody who does it right, beside a
 * megabyte of garbage; every half second the collector is asked for all. Prints "ready" at the end, and
 * rests.
 */
class Leaks {
    static volatile Object sink;

    static class Entry {
        final long[] value = new long[121]; // 1 000 bytes with this object
        Object more;
    }

    /** Code of somebody else: who opens a session must close it, by the name it was opened by. */
    static class Library {
        static final Map<Object, Entry> SESSIONS = new HashMap<>();

        static void open(Object id) {
            SESSIONS.put(id, new Entry());
        }

        static void close(Object id) {
            SESSIONS.remove(id);
        }

        static Entry load(Object key) {
            return new Entry();
        }
    }

    /** Loaded anew by each loader, with what it keeps. */
    static class Plugin {
        static final List<long[]> STATE = new ArrayList<>();

        static {
            for (int i = 0; i < 80; i++) {
                STATE.add(new long[121]);
            }
        }
    }

    /** A name that is equal to no other. */
    static class Name {
        final int number;

        Name(int number) {
            this.number = number;
        }
    }

    static class Guilty {
        static final Map<Object, Object> MAP = new HashMap<>();
        static final List<Object> LIST = new ArrayList<>();
        static final List<Runnable> OBSERVERS = new CopyOnWriteArrayList<>();
        static final ThreadLocal<List<Entry>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);
        static final Queue<Entry> QUEUE = new LinkedBlockingQueue<>();
        static final Set<Entry> SEEN = new HashSet<>();
        static final Map<Object, Entry> WEAK = new WeakHashMap<>();
        static final Timer TIMER = new Timer(true);
        static final byte[][] BUFFERS = new byte[400_000][];
        static final CompletableFuture<Object> NEVER = new CompletableFuture<>();
        static final Exception FAILURE = new Exception();
        static final ScheduledExecutorService LATER = Executors.newScheduledThreadPool(1, r -> {
            Thread thread = new Thread(r, "later");
            thread.setDaemon(true);
            return thread;
        });
        static final Cleaner CLEANER = Cleaner.create();
        static final Map<Integer, Entry> LRU = new LinkedHashMap<Integer, Entry>(16, 0.75f, true) {
            protected boolean removeEldestEntry(Integer eldest) { // overrides nothing
                return size() > 1000;
            }
        };

        static void putInMap(int i) {
            MAP.put(i, new Entry());
        }

        static void addListener(int i) {
            Entry state = new Entry();
            LIST.add((Runnable) () -> sink = state);
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

        static void closeOther(int i) {
            Library.open(new Name(i));
            Library.close(new Name(i));
        }

        static void keepBuffers(int i) {
            BUFFERS[i] = new byte[1000];
        }

        static void loadPlugin(int i) {
            if (i % 80 == 0) {
                try {
                    LIST.add(Class.forName("Leaks$Plugin", true, new Reloader("Leaks$Plugin")));
                } catch (ClassNotFoundException e) {
                    throw new AssertionError(e);
                }
            }
        }

        static void cacheWithoutBound(int i) {
            MAP.computeIfAbsent("key " + i, Library::load);
        }

        static void neverEvicted(int i) {
            LRU.put(i, new Entry());
        }

        static void startThread(int i) {
            if (i % 800 != 0) {
                return;
            }
            List<Entry> state = new ArrayList<>();
            for (int k = 0; k < 800; k++) {
                state.add(new Entry());
            }
            Thread thread = new Thread(() -> {
                while (state.size() > 0) {
                    LockSupport.park();
                }
            }, "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }

        static void dependOn(int i) {
            Entry state = new Entry();
            NEVER.thenAccept(done -> sink = state);
        }

        static void suppress(int i) {
            Exception failure = new Exception() {
                final Entry state = new Entry();
            };
            FAILURE.addSuppressed(failure);
        }

        static void observe(int i) {
            if (i % 8 == 0) {
                byte[] state = new byte[8000];
                OBSERVERS.add(() -> sink = state);
            }
        }

        static void cancel(int i) {
            for (int k = 0; k < 10; k++) { // of each its task is kept, some hundred bytes
                LATER.schedule(() -> sink = null, 1, TimeUnit.HOURS).cancel(false);
            }
        }

        static void cleanUp(int i) {
            Entry state = new Entry();
            CLEANER.register(state, () -> sink = state);
        }

        static void slice(int i) {
            if (i % 8 == 0) {
                LIST.add(ByteBuffer.allocate(8000).limit(10).slice());
            }
        }
    }

    static class Innocent {
        static final Map<Integer, Entry> CACHE = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Entry> eldest) {
                return size() > 8000;
            }
        };
        static final ArrayDeque<Entry> RING = new ArrayDeque<>();
        static final Entry[] TABLE = new Entry[8000];
        static final Map<Integer, Entry> WARM = new HashMap<>();
        static final Random RANDOM = new Random(7);

        static void cached(int i) {
            CACHE.put(i, new Entry());
        }

        static void tabled(int i) {
            TABLE[(i * 31) % TABLE.length] = new Entry();
        }

        static void rolling(int i) {
            RING.add(new Entry());
            if (RING.size() > 5000) {
                RING.poll();
            }
        }

        /** Fills ever more slowly. */
        static void warmUp(int i) {
            WARM.computeIfAbsent(RANDOM.nextInt(4000), key -> new Entry());
        }

        static void closeSession(int i) {
            Library.open(-i);
            Library.close(-i);
        }
    }

    interface Step {
        void go(int i);
    }

    static Step stepOf(String what) {
        switch (what) {
            case "map": return Guilty::putInMap;
            case "listener": return Guilty::addListener;
            case "threadlocal": return Guilty::inThreadLocal;
            case "queue": return Guilty::fillQueue;
            case "set": return Guilty::remember;
            case "weak": return Guilty::weakly;
            case "timer": return Guilty::schedule;
            case "library": return Guilty::openSession;
            case "name": return Guilty::closeOther;
            case "buffers": return Guilty::keepBuffers;
            case "classloader": return Guilty::loadPlugin;
            case "unbounded": return Guilty::cacheWithoutBound;
            case "lru": return Guilty::neverEvicted;
            case "thread": return Guilty::startThread;
            case "future": return Guilty::dependOn;
            case "suppressed": return Guilty::suppress;
            case "observer": return Guilty::observe;
            case "cancelled": return Guilty::cancel;
            case "cleaner": return Guilty::cleanUp;
            case "slice": return Guilty::slice;
            case "cache": return Innocent::cached;
            case "table": return Innocent::tabled;
            case "ring": return Innocent::rolling;
            case "warm": return Innocent::warmUp;
            case "session": return Innocent::closeSession;
            default: throw new IllegalArgumentException(what);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String what = arguments[0];
        Step step = stepOf(what);
        long begin = System.nanoTime(), length = Long.parseLong(arguments[1]) * 1_000_000_000L;
        long collected = begin, leastRounds = 30 * length / 1_000_000_000L; // what is done tells, not the time
        ExecutorService pool = what.equals("threadlocal") ? Executors.newFixedThreadPool(2) : null;
        for (int i = 1; System.nanoTime() - begin < length || i <= 80 * leastRounds;) {
            for (int first = i; i < first + 80; i++) {
                int at = i;
                if (pool != null) {
                    pool.execute(() -> step.go(at));
                } else {
                    step.go(at);
                }
                Innocent.closeSession(i);
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
