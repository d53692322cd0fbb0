import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.apache.log4j.spi.LoggingEvent;

/**
 * An old service logs with Log4j 1.2; seven requests write a line every few milliseconds.
 *
 * NEEDS: liblog4j1.2-java (log4j-1.2.jar)
 *
 * Problem: numbers of cards are masked by an expression that tries every place again, Masking.mask, about 3 ms of
 * processor time for a long line (one in three), in the layout, thus with the appender locked; short lines are
 * done at once, and each eighth is flushed (0.3 ms). Truth: requests wait for the appender (a monitor of WriterAppender, or the RootLogger's) because of
 * Masking.mask. Measured: the part of the waiting to log during which somebody masks.
 */
final class LinesMaskedInsideTheAppender {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<long[]> ENTERED = ThreadLocal.withInitial(() -> new long[1]);

    static final class Masking {
        private static final Pattern CARD = Pattern.compile("(\\d+[ -]?)+X");

        static String mask(String line) {
            long until = System.nanoTime() + 3_000_000;
            String masked = line;
            do {
                Matcher matcher = CARD.matcher(masked.length() > 18 ? masked.substring(0, 18) : masked);
                if (matcher.find()) {
                    masked = matcher.replaceAll("****");
                }
            } while (line.length() > 40 && System.nanoTime() < until);
            return masked;
        }
    }

    static final class MaskingLayout extends PatternLayout {
        MaskingLayout() {
            super("%t %m%n");
        }

        @Override
        public String format(LoggingEvent event) {
            long from = System.nanoTime();
            ENTERED.get()[0] = from;
            try {
                return Masking.mask(super.format(event));
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    static final class Lines extends StringWriter {
        private int lines;

        @Override
        public void write(String text) {
            if (++lines % 8 != 0) {
                return;
            }
            long from = System.nanoTime();
            Truth.sleep(0.0003);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    record Request(Logger log, int number) implements Truth.Step {
        @Override
        public void run() throws Exception {
            for (int i = 0; i < 3; i++) {
                handle(i == 0 ? "paid by 4000 1234 5678 and sent to " + "x".repeat(20) : "part " + i);
                Thread.sleep(6 + number);
            }
        }

        private void handle(String what) {
            long from = System.nanoTime();
            log.info(what);
            DIARY.waited(from, ENTERED.get()[0]);
        }
    }

    public static void main(String[] arguments) {
        Logger root = Logger.getRootLogger();
        root.setLevel(Level.INFO);
        root.addAppender(new WriterAppender(new MaskingLayout(), new Lines()));
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("request-" + i, new Request(Logger.getLogger("shop.request" + i), i));
        }
        Truth.repeat("watchdog", () -> Thread.sleep(150));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("lines are masked with the appender locked")
            .object("WriterAppender", "RootLogger", "Logger").culprit("Masking.mask").thread("request-*")
            .victims("request-*").share(DIARY.share(0), "the waiting to log").say();
        Runtime.getRuntime().halt(0);
    }
}
