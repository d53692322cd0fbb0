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

    /** No share makes sense: nothing is wrong, or the wait never ends. */
    Truth noShare() {
        return add("share", "null");
    }

    void say() {
        System.out.println(json + "}");
        System.out.flush();
    }

    /** For a case that hangs: says it once the time is over, and ends the JVM a second later. */
    static void sayAndHalt(Truth truth, double afterSeconds) {
        Thread watchdog = new Thread(() -> {
            sleep(afterSeconds);
            truth.say();
            sleep(1);
            Runtime.getRuntime().halt(0);
        }, "truth");
        watchdog.setDaemon(true);
        watchdog.start();
    }

    /** The case hangs from now on. */
    static void hangs() {
        System.out.println("HANG");
        System.out.flush();
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
     * notes its own; summed up at the end. Times are System.nanoTime's.
     */
    static final class Diary {
        private final List<long[]> holds = new ArrayList<>(), waits = new ArrayList<>();

        /** `who`: 0, 1, … as the case numbers its suspects. */
        synchronized void held(int who, long from, long to) {
            holds.add(new long[] {from, to, who});
        }

        synchronized void waited(long from, long to) {
            waits.add(new long[] {from, to});
        }

        synchronized double waitedSeconds() {
            double sum = 0;
            for (long[] wait : waits) {
                sum += (wait[1] - wait[0]) / 1e9;
            }
            return sum;
        }

        /** The part of all waited time during which `who` held it, evenly shared with who else did. */
        synchronized double share(int who) {
            List<long[]> sorted = new ArrayList<>(holds);
            sorted.sort((a, b) -> Long.compare(a[0], b[0]));
            double sum = 0, whole = 0;
            for (long[] wait : waits) {
                whole += wait[1] - wait[0];
                sum += part(sorted, wait, who);
            }
            return whole == 0 ? 0 : sum / whole;
        }

        private static double part(List<long[]> sorted, long[] wait, int who) {
            List<long[]> here = new ArrayList<>();
            List<Long> cuts = new ArrayList<>(List.of(wait[0], wait[1]));
            for (long[] hold : sorted) {
                if (hold[0] >= wait[1]) {
                    break;
                }
                if (hold[1] > wait[0]) {
                    here.add(hold);
                    cuts.add(Math.max(hold[0], wait[0]));
                    cuts.add(Math.min(hold[1], wait[1]));
                }
            }
            cuts.sort(null);
            double sum = 0;
            for (int i = 1; i < cuts.size(); i++) {
                long from = cuts.get(i - 1), to = cuts.get(i);
                int all = 0, its = 0;
                for (long[] hold : here) {
                    if (hold[0] <= from && hold[1] >= to) {
                        all++;
                        its += hold[2] == who ? 1 : 0;
                    }
                }
                if (all > 0) {
                    sum += (double) (to - from) * its / all;
                }
            }
            return sum;
        }
    }
}
