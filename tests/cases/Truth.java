import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a case knows of itself: its truth, as one line of JSON, and the means to measure it. Every case
 * runs for as many seconds as its first argument says (10) and then says its truth.
 *
 * <pre>
 *   TRUTH {"problem":"…","healthy":false,"stuck":false,"object":[…],"culprit":[…],"thread":[…],
 *          "victims":[…],"share":0.83,"of":"…","tolerance":0.03}
 * </pre>
 *
 * A case that hangs by design says `HANG` as soon as it does, and calls {@link #sayAndHalt}.
 */
final class Truth {
    private final StringBuilder json = new StringBuilder("TRUTH {");

    private Truth(String problem, boolean healthy, boolean stuck) {
        add("problem", quote(problem));
        add("healthy", String.valueOf(healthy));
        add("stuck", String.valueOf(stuck));
    }

    /** Something is wrong: in one sentence, what. */
    static Truth of(String problem) {
        return new Truth(problem, false, false);
    }

    /** Somebody waits for what will never come. */
    static Truth stuck(String problem) {
        return new Truth(problem, false, true);
    }

    /** Nothing is wrong, and why not. */
    static Truth healthy(String reason) {
        return new Truth("none: " + reason, true, false);
    }

    /** Simple class names of what the victims wait for, any of which is right. */
    Truth object(String... classes) {
        return add("object", list(classes));
    }

    /** Class.method of the program's code that is to be looked at, any of which is right. */
    Truth culprit(String... methods) {
        return add("culprit", list(methods));
    }

    /** Names of the threads that run it, digits as `*`. */
    Truth thread(String... names) {
        return add("thread", list(names));
    }

    /** Names of the threads that lose most time, digits as `*`. */
    Truth victims(String... names) {
        return add("victims", list(names));
    }

    /** The culprit's share, measured, and of what. */
    Truth share(double share, String of) {
        add("share", String.format(Locale.ROOT, "%.4f", share));
        add("of", quote(of));
        return add("tolerance", "0.03");
    }

    /** Where a share makes no sense. */
    Truth noShare() {
        return add("share", "null");
    }

    void say() {
        System.out.println(json + "}");
        System.out.flush();
    }

    /** For a case that hangs: says it once the time is over, and ends the JVM a second later. */
    static void sayAndHalt(Truth truth, double afterSeconds) {
        start("truth", () -> {
            sleep(afterSeconds);
            truth.say();
            sleep(1);
            Runtime.getRuntime().halt(0);
        });
    }

    /** The case hangs from now on. */
    static void hangs() {
        System.out.println("HANG");
        System.out.flush();
    }

    /** Says so as soon as all of these have waited without a limit for half a second. */
    static void hangsOnce(List<Thread> threads) {
        start("observer", () -> {
            int quiet = 0;
            while (quiet < 20) {
                sleep(0.025);
                quiet = threads.stream().map(Thread::getState).allMatch(state ->
                    state == Thread.State.BLOCKED || state == Thread.State.WAITING) ? quiet + 1 : 0;
            }
            hangs();
        });
    }

    /** What a thread does again and again. */
    interface Step {
        void run() throws Exception;
    }

    /** A daemon, not started yet. */
    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The same, started. */
    static Thread start(String name, Runnable work) {
        Thread thread = daemon(name, work);
        thread.start();
        return thread;
    }

    /** Starts a daemon that does so until it is interrupted. */
    static Thread repeat(String name, Step step) {
        return start(name, () -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        });
    }

    /** Starts a daemon: a virtual thread where the JDK has them. */
    static Thread virtual(String name, Runnable work) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, name);
            return (Thread) type.getMethod("start", Runnable.class).invoke(builder, work);
        } catch (ReflectiveOperationException exception) {
            return start(name, work);
        }
    }

    /** Lets the case run for its time, stops it, and gives its threads so many seconds to end. */
    static void run(String[] arguments, Runnable stop, double toEnd) {
        sleep(seconds(arguments));
        stop.run();
        sleep(toEnd);
    }

    static double seconds(String[] arguments) {
        return arguments.length > 0 ? Double.parseDouble(arguments[0]) : 10;
    }

    static void sleep(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000), (int) (seconds * 1e9 % 1e6));
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private Truth add(String name, String value) {
        if (json.charAt(json.length() - 1) != '{') {
            json.append(',');
        }
        json.append(quote(name)).append(':').append(value);
        return this;
    }

    private static String list(String... texts) {
        List<String> quoted = new ArrayList<>();
        for (String text : texts) {
            quoted.add(quote(text));
        }
        return "[" + String.join(",", quoted) + "]";
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Who held something, or owed it, from when to when; and who waited for it meanwhile. Each thread
     * notes its own on a page of its own, so that noting does not make threads wait for each other;
     * summed up at the end. Times are System.nanoTime's.
     */
    static final class Diary {
        private final List<Page> pages = new ArrayList<>();
        private final ThreadLocal<Page> own = ThreadLocal.withInitial(this::page);

        /** `who`: 0, 1, … as the case numbers its suspects. */
        void held(int who, long from, long to) {
            own.get().add(own.get().holds, from, to, who);
        }

        void waited(long from, long to) {
            own.get().add(own.get().waits, from, to, 0);
        }

        /** Lets the case run for so long, and prints how long was waited in all. */
        void fill(double seconds) {
            Truth.sleep(seconds);
            System.out.printf("waited %.2f s in all%n", waitedSeconds());
        }

        /** Starts so many daemons that each do so again and again, note how long it took, and pause. */
        void clients(String name, int count, long pauseMillis, Step step) {
            for (int i = 1; i <= count; i++) {
                repeat(name + "-" + i, () -> {
                    long from = System.nanoTime();
                    step.run();
                    waited(from, System.nanoTime());
                    Thread.sleep(pauseMillis);
                });
            }
        }

        double waitedSeconds() {
            double sum = 0;
            for (Page page : copy()) {
                for (long[] wait : page.waits) {
                    sum += (wait[1] - wait[0]) / 1e9;
                }
            }
            return sum;
        }

        /** The part of all waited time during which `who` held it, evenly shared with who else did. */
        double share(int who) {
            List<long[]> steps = new ArrayList<>(); // when, and how many more wait, hold, are `who`
            for (Page page : copy()) {
                for (long[] wait : page.waits) {
                    steps.add(new long[] {wait[0], 1, 0, 0});
                    steps.add(new long[] {wait[1], -1, 0, 0});
                }
                for (long[] hold : page.holds) {
                    int its = hold[2] == who ? 1 : 0;
                    steps.add(new long[] {hold[0], 0, 1, its});
                    steps.add(new long[] {hold[1], 0, -1, -its});
                }
            }
            steps.sort((a, b) -> Long.compare(a[0], b[0]));
            double sum = 0, whole = 0;
            long before = 0, waiting = 0, holding = 0, its = 0;
            for (long[] step : steps) {
                double waited = (double) (step[0] - before) * waiting;
                whole += waited;
                sum += holding > 0 ? waited * its / holding : 0;
                before = step[0];
                waiting += step[1];
                holding += step[2];
                its += step[3];
            }
            return whole == 0 ? 0 : sum / whole;
        }

        private Page page() {
            Page page = new Page();
            synchronized (pages) {
                pages.add(page);
            }
            return page;
        }

        private List<Page> copy() {
            List<Page> copies = new ArrayList<>();
            synchronized (pages) {
                for (Page page : pages) {
                    copies.add(page.copy());
                }
            }
            return copies;
        }

        /** What one thread noted. Its monitor is free for that thread until all is summed up. */
        private static final class Page {
            final List<long[]> holds = new ArrayList<>(), waits = new ArrayList<>();

            synchronized void add(List<long[]> notes, long from, long to, int who) {
                notes.add(new long[] {from, to, who});
            }

            synchronized Page copy() {
                Page copy = new Page();
                copy.holds.addAll(holds);
                copy.waits.addAll(waits);
                return copy;
            }
        }
    }
}
