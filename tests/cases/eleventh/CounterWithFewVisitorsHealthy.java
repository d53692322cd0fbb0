import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Visitors hand in forms at a counter and wait until they are stamped; two clerks serve them. Stamping takes a
 * millisecond and a half, with the counter's monitor free.
 *
 * Problem: none: a visitor comes each 300 ms or so, is served at once, and the clerks wait for visitors. Truth:
 * healthy.
 */
final class CounterWithFewVisitorsHealthy {
    static final class Form {
        private int stamp;
    }

    static final class Counter {
        private final Deque<Form> line = new ArrayDeque<>();
        private int stamps;

        synchronized int submit(Form form) throws InterruptedException {
            line.add(form);
            notifyAll();
            while (form.stamp == 0) {
                wait();
            }
            return form.stamp;
        }

        synchronized Form next() throws InterruptedException {
            while (line.isEmpty()) {
                wait();
            }
            return line.remove();
        }

        synchronized void stamp(Form form) {
            form.stamp = ++stamps;
            notifyAll();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Counter counter = new Counter();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("clerk-" + i, () -> {
                Form form = counter.next();
                Thread.sleep(1, 500_000);
                counter.stamp(form);
            });
        }
        for (int i = 1; i <= 6; i++) {
            int pause = 210 + i * 40;
            Truth.repeat("visitor-" + i, () -> {
                counter.submit(new Form());
                Thread.sleep(pause);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.println("stamps: " + counter.stamps);
        Truth.healthy("clerks wait for visitors, who are served at once").object().culprit().thread().victims()
            .noShare().say();
    }
}
