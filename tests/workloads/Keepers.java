import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Objects of the class Kept, each kept in one way. Arguments: which way, how many, and how many other objects
 * there are beside them; prints "ready" and rests.
 */
public class Keepers {
    public static class Kept {
        Kept next;
        final long[] value = new long[2];

        public Kept() {
        }
    }

    static class Never {
    }

    static class Session {
        final List<Kept> items = new ArrayList<>();
    }

    static class Bus {
        final List<Object> listeners = new ArrayList<>();
    }

    /** Loaded anew by each loader. */
    static class Plugin {
        static final List<Kept> STATE = new ArrayList<>();

        static {
            STATE.add(new Kept());
        }
    }

    static final Map<Integer, Session> SESSIONS = new HashMap<>();
    static final Bus BUS = new Bus();
    static final ThreadLocal<List<Kept>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);
    static final List<Class<?>> PLUGINS = new ArrayList<>();
    static final Queue<Kept> QUEUE = new LinkedBlockingQueue<>();
    static final List<SoftReference<Kept>> SOFT = new ArrayList<>();
    static final List<WeakReference<Kept>> WEAK = new ArrayList<>();
    static final List<Object[]> OTHERS = new ArrayList<>();
    static Kept first;

    static void keepInThreads(int n) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> new Thread(task, "pool-worker"));
        for (int i = 0; i < 2; i++) {
            pool.execute(() -> {
                for (int k = 0; k < n / 2; k++) {
                    OF_THREAD.get().add(new Kept());
                }
                done.countDown();
                try {
                    done.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        done.await();
    }

    static class Handler implements Thread.UncaughtExceptionHandler {
        final List<Kept> items = new ArrayList<>();

        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
        }
    }

    /** Of a map, and nearer to a root: of the recorder's own threads. */
    static void keepInRecorder(int n) throws InterruptedException {
        Handler handler = new Handler();
        int threads = 0;
        for (int attempt = 0; attempt < 100 && threads == 0; attempt++) {
            Thread.sleep(100); // it comes a little later
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("parkmeter")) {
                    thread.setUncaughtExceptionHandler(handler);
                    threads++;
                }
            }
        }
        for (int i = 0; i < n; i++) {
            Kept kept = new Kept();
            SESSIONS.computeIfAbsent(i / 10, key -> new Session()).items.add(kept);
            handler.items.add(kept);
        }
        if (threads == 0) {
            throw new AssertionError("no thread of the recorder's");
        }
    }

    static void keep(String how, int n) throws Exception {
        switch (how) {
            case "map":
                for (int i = 0; i < n; i++) {
                    SESSIONS.computeIfAbsent(i / 10, key -> new Session()).items.add(new Kept());
                }
                break;
            case "listeners":
                for (int i = 0; i < n; i++) {
                    BUS.listeners.add(new Kept());
                }
                break;
            case "threadlocal":
                keepInThreads(n);
                break;
            case "loader":
                for (int i = 0; i < n; i++) {
                    PLUGINS.add(Class.forName("Keepers$Plugin", true, new Reloader("Keepers$Plugin")));
                }
                break;
            case "queue":
                for (int i = 0; i < n; i++) {
                    QUEUE.add(new Kept());
                }
                break;
            case "chain":
                for (int i = 0; i < n; i++) {
                    Kept kept = new Kept();
                    kept.next = first;
                    first = kept;
                }
                break;
            case "soft":
                for (int i = 0; i < n; i++) {
                    SOFT.add(new SoftReference<>(new Kept()));
                }
                break;
            case "recorder":
                keepInRecorder(n);
                break;
            case "weak":
                for (int i = 0; i < n; i++) {
                    Kept kept = new Kept();
                    WEAK.add(new WeakReference<>(kept));
                    SESSIONS.computeIfAbsent(i / 10, key -> new Session()).items.add(kept);
                }
                break;
            case "local":
            case "none":
                break;
            default:
                throw new IllegalArgumentException(how);
        }
    }

    static void rest(Object[] held) throws InterruptedException {
        System.out.println("ready");
        Thread.sleep(600_000);
        System.out.println(held.length);
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]), others = Integer.parseInt(arguments[2]);
        new Never();
        for (int i = 0; i < others / 4; i++) {
            Map<Integer, Object> map = i % 16 == 0 ? new HashMap<>() : null;
            Object[] other = {new int[2], "other " + i, map};
            if (map != null) {
                map.put(i, other);
            }
            OTHERS.add(other);
        }
        keep(arguments[0], n);
        Object[] held = new Object[arguments[0].equals("local") ? n : 0];
        for (int i = 0; i < held.length; i++) {
            held[i] = new Kept();
        }
        rest(held);
    }
}
