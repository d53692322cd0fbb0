import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Visitors hand in forms at a counter and wait until they are stamped; one clerk serves them. All of it is within the
 * counter's monitor, as wait and notify want it.
 *
 * Problem: the clerk stamps, 11 ms, within the monitor too: meanwhile nobody can even hand in a form. Truth: visitors
 * wait for the Counter, to enter or to be notified, because of Counter.serve. Measured: the part of their time in
 * Counter.submit during which it stamps.
 */
final class ClerkStampsWithinCounter {
    static final Truth.Diary DIARY = new Truth.Diary();

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

        synchronized void serve() throws InterruptedException {
            while (line.isEmpty()) {
                wait();
            }
            Form form = line.remove();
            long from = System.nanoTime();
            Thread.sleep(11);
            DIARY.held(0, from, System.nanoTime());
            form.stamp = ++stamps;
            notifyAll();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Counter counter = new Counter();
        Truth.repeat("clerk", counter::serve);
        for (int i = 1; i <= 6; i++) {
            int pause = 10 + i;
            Truth.repeat("visitor-" + i, () -> {
                long from = System.nanoTime();
                counter.submit(new Form());
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(pause);
            });
        }
        DIARY.fill(seconds);
        Truth.of("forms are stamped within the monitor in which they are handed in")
            .object("Counter").culprit("Counter.serve").thread("clerk").victims("visitor-*")
            .share(DIARY.share(0), "the visitors' time at the counter").say();
    }
}
