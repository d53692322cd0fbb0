import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ToIntFunction;

/**
 * Each booking runs on a virtual thread of its own, where the JDK has them, and asks an old host that
 * has two lines, lent by a pool with wait and notify. A booking takes 3 ms.
 *
 * Problem: two statements, on virtual threads as well, are spooled with a line in hand, Spool.dump,
 * 30 ms. Truth: bookings wait for the LinePool's monitor to be notified because of Spool.dump.
 * Measured: the part of the bookings' waiting during which statements have a line, evenly shared with
 * bookings.
 */
final class VirtualBookingsShareTwoLines {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Line(int number) {
    }

    static final class LinePool {
        private final Deque<Line> free = new ArrayDeque<>();

        LinePool(int count) {
            for (int i = 1; i <= count; i++) {
                free.push(new Line(i));
            }
        }

        synchronized Line take() throws InterruptedException {
            while (free.isEmpty()) {
                wait();
            }
            return free.pop();
        }

        synchronized void giveBack(Line line) {
            free.push(line);
            notify();
        }
    }

    static final class LegacyHost {
        private final LinePool lines;

        LegacyHost(LinePool lines) {
            this.lines = lines;
        }

        int ask(int who, ToIntFunction<Line> question) throws InterruptedException {
            long asked = System.nanoTime();
            Line line = lines.take();
            long from = System.nanoTime();
            if (who == 1) {
                DIARY.waited(asked, from);
            }
            try {
                return question.applyAsInt(line);
            } finally {
                DIARY.held(who, from, System.nanoTime());
                lines.giveBack(line);
            }
        }
    }

    static final class Spool {
        int dump(Line line) {
            int pages = 0;
            for (int page = 0; page < 6; page++) {
                Truth.sleep(0.005);
                pages += line.number();
            }
            return pages;
        }
    }

    interface Request {
        int answer() throws InterruptedException;
    }

    /** A thread for each request; the next one begins when it has ended and some time has passed. */
    static void stream(String name, int count, double pause, Request request) {
        for (int i = 1; i <= count; i++) {
            String own = name + "-" + i;
            Truth.start(own + "-source", () -> {
                while (true) {
                    Thread one = Truth.virtual(own, () -> {
                        try {
                            request.answer();
                        } catch (InterruptedException exception) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    while (one.isAlive()) {
                        Truth.sleep(0.001);
                    }
                    Truth.sleep(pause);
                }
            });
        }
    }

    public static void main(String[] arguments) {
        LegacyHost host = new LegacyHost(new LinePool(2));
        Spool spool = new Spool();
        stream("statement", 2, 0.008, () -> host.ask(0, spool::dump));
        stream("booking", 5, 0.006, () -> host.ask(1, line -> {
            Truth.sleep(0.003);
            return line.number();
        }));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("statements are spooled with one of the host's two lines").object("LinePool").culprit("Spool.dump")
            .thread("statement-*").victims("booking-*").share(DIARY.share(0), "the bookings' waiting for a line").say();
        Runtime.getRuntime().halt(0);
    }
}
