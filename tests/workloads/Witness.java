import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What a workload saw of itself, by System.nanoTime, which on Linux is the recorder's clock. Each thread
 * writes down its own; nobody waits for anybody. Once all of them have ended, tell() prints a line for
 * each: `WORD WHAT THREAD FROM TO`. The words: `held` WHAT; `wanted` it, from asking to having or giving
 * up; `gave`: the call that let others go on; `kept`: one of several of it; `owed`: until then it had
 * still to come, or to give it; `stopped`: all threads stood still meanwhile. WHAT may be `KIND#NUMBER`,
 * and `KIND#NUMBER@LOCK`: once it was given, the lock is still wanted.
 */
class Witness {
    private static final ConcurrentLinkedQueue<Witness> ALL = new ConcurrentLinkedQueue<>();
    private static final ThreadLocal<Witness> MINE = ThreadLocal.withInitial(Witness::new);

    private final String thread = Thread.currentThread().getName();
    private final List<String> words = new ArrayList<>();
    private long[] times = new long[2048];

    private Witness() {
        ALL.add(this);
    }

    static long now() {
        return System.nanoTime();
    }

    /** Wanted since `asked`, had from `from` on. */
    static void held(String what, long asked, long from, long to) {
        Witness mine = MINE.get();
        mine.add("wanted ", what, asked, from);
        mine.add("held ", what, from, to);
    }

    static void wanted(String what, long from, long to) {
        MINE.get().add("wanted ", what, from, to);
    }

    static void gave(String what, long from, long to) {
        MINE.get().add("gave ", what, from, to);
    }

    /** From then on one of several that are enough for as many; the longer, the more it is due to who keeps it. */
    static void kept(String what, long from, long to) {
        MINE.get().add("kept ", what, from, to);
    }

    /** Who wanted it then waited for this thread to come or to give it. */
    static void owed(String what, long from, long to) {
        MINE.get().add("owed ", what, from, to);
    }

    /** Had from `from` on, by who has told already what it wanted. */
    static void held(String what, long from, long to) {
        MINE.get().add("held ", what, from, to);
    }

    static void stopped(long from, long to) {
        MINE.get().add("stopped ", "-", from, to);
    }

    private void add(String word, String what, long from, long to) {
        int at = words.size();
        if (at + 2 > times.length) {
            times = Arrays.copyOf(times, 2 * times.length);
        }
        words.add(word);
        words.add(what);
        times[at] = from;
        times[at + 1] = to;
    }

    static void tell() {
        StringBuilder all = new StringBuilder();
        for (Witness one : ALL) {
            for (int i = 0; i < one.words.size(); i += 2) {
                all.append(one.words.get(i)).append(one.words.get(i + 1)).append(' ');
                all.append(one.thread).append(' ').append(one.times[i]).append(' ');
                all.append(one.times[i + 1]).append('\n');
            }
        }
        System.out.print(all);
        System.out.println("told");
    }

    /** Starts all, lets them run for a while (0 = until killed), stops and joins them, and tells. */
    static void watch(long millis, Runnable stop, Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.start();
        }
        System.out.println("ready");
        if (millis > 0) {
            Thread.sleep(millis);
            stop.run();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        tell();
    }
}
