import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A home-made pool of three converters, by synchronized, wait and notifyAll. Previews use one for 5 ms,
 * the report's renderer keeps two of them for half a second at a time.
 *
 * Problem: ReportRenderer.render keeps two of three converters. Truth: previews wait for the third.
 * Measured: nothing but that.
 */
final class RendererKeepsConverters {
    static final class Converters {
        private final Deque<Object> free = new ArrayDeque<>();

        Converters(int n) {
            for (int i = 0; i < n; i++) {
                free.push(new Object());
            }
        }

        synchronized Object borrow() throws InterruptedException {
            while (free.isEmpty()) {
                wait();
            }
            return free.pop();
        }

        synchronized void giveBack(Object converter) {
            free.push(converter);
            notifyAll();
        }
    }

    static final class Preview {
        static void show(Converters converters) throws InterruptedException {
            Object converter = converters.borrow();
            try {
                Thread.sleep(5);
            } finally {
                converters.giveBack(converter);
            }
        }
    }

    static final class ReportRenderer {
        static void render(Converters converters) throws InterruptedException {
            Object first = converters.borrow();
            Object second = converters.borrow();
            try {
                Thread.sleep(500);
            } finally {
                converters.giveBack(second);
                converters.giveBack(first);
            }
        }
    }

    public static void main(String[] arguments) {
        Converters converters = new Converters(3);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("preview-" + i, () -> {
                Preview.show(converters);
                Thread.sleep(3);
            });
        }
        Truth.repeat("reports", () -> {
            ReportRenderer.render(converters);
            Thread.sleep(20);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the report's renderer keeps two of three converters for half a second")
            .object("Converters").culprit("ReportRenderer.render").thread("reports")
            .victims("preview-*").noShare().say();
    }
}
