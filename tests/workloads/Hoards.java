import java.beans.PropertyChangeSupport;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * As Leaks, in shapes that are harder to tell: what is kept hangs in a class of the JDK or of a library that others
 * use as much and rightly, is small beside what comes and goes, or was allocated by somebody else. Arguments: which,
 * and for how many seconds. Prints "ready" at the end, and rests.
 */
class Hoards {
    static volatile Object sink;
    static double part; // of the time and of the work that has passed

    /** Code of somebody else. */
    static class Library {
        static final PropertyChangeSupport BUS = new PropertyChangeSupport(new Object());
        static final Map<Integer, CompletableFuture<byte[]>> PENDING = new ConcurrentHashMap<>();
        static final AtomicInteger NEXT = new AtomicInteger();

        /** An answer is to come; who is not interested any more must say so. */
        static int ask(int bytes) {
            int id = NEXT.incrementAndGet();
            byte[] question = new byte[bytes];
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            PENDING.put(id, answer);
            answer.thenApply(reply -> question.length + reply.length).thenAccept(n -> sink = n);
            return id;
        }

        static void answer(int id) {
            CompletableFuture<byte[]> answer = PENDING.remove(id);
            if (answer != null) {
                answer.complete(new byte[100]);
            }
        }

        /** Parses into a tree that is the caller's. */
        static Map<String, Object> parse(int n) {
            Map<String, Object> tree = new TreeMap<>();
            for (int i = 0; i < 8; i++) {
                tree.put("field " + i, new long[8]);
            }
            tree.put("id", n);
            return tree;
        }
    }

    /** Loaded anew by each loader; leaves something in the thread. */
    static class Plugin {
        static final ThreadLocal<Object> CONTEXT = new ThreadLocal<>();

        static {
            CONTEXT.set(new Plugin());
        }

        final List<long[]> state = IntStream.range(0, 60).mapToObj(i -> new long[121]).collect(Collectors.toList());
    }

    /** Its hash is of what may change. */
    static class Key {
        String state = "new";
        final long[] rest = new long[40];

        @Override
        public int hashCode() {
            return state.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    static class Guilty {
        static final Map<String, String> NAMES = new HashMap<>();
        static final Map<Key, Object> OPEN = new HashMap<>();
        static final List<ByteBuffer> BUFFERS = new ArrayList<>();
        static final List<Integer> NUMBERS = new ArrayList<>();
        static final StringBuilder LOG = new StringBuilder();
        static final List<Map<String, Object>> HISTORY = new ArrayList<>();
        static final ThreadLocal<Map<Integer, Object>> OF_REQUEST = ThreadLocal.withInitial(HashMap::new);
        static final ScheduledExecutorService LATER = Executors.newScheduledThreadPool(1, r -> {
            Thread thread = new Thread(r, "later");
            thread.setDaemon(true);
            return thread;
        });
        static final Set<Object> SLOW = new HashSet<>();

        static void listen(int i) {
            long[] state = new long[60];
            Library.BUS.addPropertyChangeListener("price " + i % 100, event -> sink = state);
        }

        static void neverAnswered(int i) {
            int id = Library.ask(500);
            if (i % 5 == 0) {
                Library.answer(id);
            }
        }

        static void canonical(int i) {
            for (int k = 0; k < 4; k++) {
                String name = ("customer number " + k + i + " of the shop in the " + i % 40 + "th street").intern();
                NAMES.putIfAbsent(name, name.toUpperCase());
            }
        }

        static void deploy(int i) {
            if (i % 80 == 0) {
                try {
                    Class.forName("Hoards$Plugin", true, new Reloader("Hoards$Plugin"));
                } catch (ClassNotFoundException e) {
                    throw new AssertionError(e);
                }
            }
        }

        static void mutate(int i) {
            Key key = new Key();
            OPEN.put(key, Boolean.TRUE);
            key.state = "done " + i % 7;
            OPEN.remove(key);
        }

        static void direct(int i) {
            for (int k = 0; k < 5; k++) {
                BUFFERS.add(ByteBuffer.allocateDirect(8));
            }
        }

        static void number(int i) {
            for (int k = 0; k < 20; k++) {
                NUMBERS.add(1000 + i * 20 + k);
            }
        }

        static void log(int i) {
            LOG.append("request ").append(i).append(" was served by the only server there is, in no time at all\n");
        }

        static void history(int i) {
            HISTORY.add(Library.parse(i));
        }

        static void period(int i) {
            if (i % 8 == 0) {
                long[] state = new long[500];
                LATER.scheduleAtFixedRate(() -> sink = state, 3600, 3600, TimeUnit.SECONDS);
            }
        }

        static void slow(int i) {
            if (i % 2 == 0) {
                SLOW.add(new long[121]);
            }
        }

        static void ofRequest(int i) {
            OF_REQUEST.get().put(i, new long[60]);
        }
    }

    static class Innocent {
        static final List<Object> BATCH = new ArrayList<>();
        static final Map<Integer, Object> LATE = new HashMap<>();
        static final List<Object> LOADED = new ArrayList<>();
        static final Map<Integer, SoftReference<Object>> SOFT = new HashMap<>();
        static final Map<Integer, WeakReference<Object>> WEAK = new HashMap<>();
        static final Object[] RECENT = new Object[400];
        static final Map<Integer, Object> ENDS = new HashMap<>();
        static final Map<Integer, Object> BIG = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Object> eldest) {
                return size() > 20_000;
            }
        };
        static int batches;

        /** The same as the guilty, and tidies up. */
        static void tidy(int i) {
            Library.answer(Library.ask(500));
            java.beans.PropertyChangeListener listener = event -> sink = event;
            Library.BUS.addPropertyChangeListener("stock", listener);
            Library.BUS.removePropertyChangeListener("stock", listener);
            sink = Library.parse(i);
        }

        /** Large beside what leaks: 20 000 kilobytes from the start, a part of which is replaced each second. */
        static void bigCache(int i) {
            BIG.put(i, new long[121]);
        }

        /** Fills until two thirds of the time have passed. */
        static void late(int i) {
            if (part < 0.66) {
                LATE.put(i, new long[121]);
            }
        }

        /** Grows and is done with, six times. */
        static void batch(int i) {
            BATCH.add(new long[121]);
            if (part * 6 > batches + 1) {
                BATCH.clear();
                batches++;
            }
        }

        static void bigStart(int i) {
            if (part < 0.2) {
                for (int k = 0; k < 4; k++) {
                    LOADED.add(Library.parse(i));
                }
            }
        }

        /** What is behind soft and weak references is there until it is needed. */
        static void softly(int i) {
            SOFT.put(i % 500, new SoftReference<>(new long[121]));
            Object value = new long[121];
            WEAK.put(i % 500, new WeakReference<>(value));
            RECENT[i % RECENT.length] = value;
        }

        /** New entries get fewer by and by, and there are none in the last quarter. */
        static void ending(int i) {
            if (part < 0.75 && i % 80 < 80 * (1 - part / 0.75)) {
                ENDS.put(i, new long[121]);
            }
        }
    }

    interface Step {
        void go(int i);
    }

    static Step stepOf(String what) {
        switch (what) {
            case "bus": return Guilty::listen;
            case "pending": return Guilty::neverAnswered;
            case "interned": return Guilty::canonical;
            case "deployed": return Guilty::deploy;
            case "mutable": return Guilty::mutate;
            case "direct": return Guilty::direct;
            case "numbers": return Guilty::number;
            case "log": return Guilty::log;
            case "history": return Guilty::history;
            case "periodic": return Guilty::period;
            case "slow": return Guilty::slow;
            case "request": return Guilty::ofRequest;
            case "late": return Innocent::late;
            case "batch": return Innocent::batch;
            case "start": return Innocent::bigStart;
            case "soft": return Innocent::softly;
            case "ending": return Innocent::ending;
            default: throw new IllegalArgumentException(what);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String what = arguments[0];
        Step step = stepOf(what);
        long begin = System.nanoTime(), length = Long.parseLong(arguments[1]) * 1_000_000_000L;
        long collected = begin;
        for (int i = 1; i <= 20_000 && what.equals("slow"); i++) {
            Innocent.bigCache(-i);
        }
        ExecutorService pool = what.equals("request") || what.equals("deployed") ? Executors.newFixedThreadPool(2) : null;
        double work = 80 * 30 * length / 1e9; // on a busy machine it takes longer
        for (int i = 1; part < 1; part = Math.min((double) (System.nanoTime() - begin) / length, i / work)) {
            for (int first = i; i < first + 80; i++) {
                int at = i;
                if (pool != null) {
                    pool.execute(() -> step.go(at));
                } else {
                    step.go(at);
                }
                Innocent.tidy(i);
                if (what.equals("slow")) {
                    Innocent.bigCache(i);
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
