import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four threads assemble pages of four widgets, which six workers draw at once; a page waits for its
 * widgets, 400 ms at most.
 *
 * Problem: WidgetTask.run counts the page's latch down after it has drawn, not by `finally`. The widget of
 * offers fails for every second customer (OfferWidget.draw), and the page then waits until its time is up.
 * Truth: pages wait for a latch that nobody counts down. Measured: pages, and those late; no share.
 */
final class LatchMissesFailedWidget {
    interface Widget {
        String draw(int customer) throws InterruptedException;
    }

    static final class TextWidget implements Widget {
        @Override
        public String draw(int customer) throws InterruptedException {
            Thread.sleep(4);
            return "<p>" + customer;
        }
    }

    static final class OfferWidget implements Widget {
        @Override
        public String draw(int customer) throws InterruptedException {
            Thread.sleep(5);
            if (customer % 2 == 0) {
                throw new IllegalArgumentException("no offers for " + customer);
            }
            return "<ul>" + customer;
        }
    }

    record WidgetTask(Widget widget, int customer, CountDownLatch drawn) implements Runnable {
        @Override
        public void run() {
            try {
                widget.draw(customer);
                drawn.countDown();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class PageAssembler {
        static final AtomicInteger PAGES = new AtomicInteger(), LATE = new AtomicInteger();
        private final List<Widget> widgets = List.of(new TextWidget(), new OfferWidget(), new TextWidget(),
            new TextWidget());
        private final ExecutorService workers;
        private int customer;

        PageAssembler(ExecutorService workers, int customer) {
            this.workers = workers;
            this.customer = customer;
        }

        void assemble() throws InterruptedException {
            Thread.sleep(15);
            customer++;
            CountDownLatch drawn = new CountDownLatch(widgets.size());
            for (Widget widget : widgets) {
                workers.submit(new WidgetTask(widget, customer, drawn));
            }
            PAGES.incrementAndGet();
            if (!drawn.await(400, TimeUnit.MILLISECONDS)) {
                LATE.incrementAndGet();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AtomicInteger number = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(6, work -> {
            Thread thread = new Thread(work, "widgets-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("page-" + i, new PageAssembler(workers, i * 100)::assemble);
        }
        Truth.sleep(seconds);
        System.out.println(PageAssembler.PAGES.get() + " pages, " + PageAssembler.LATE.get() + " late");
        Truth.of("a failed widget is not counted, and its page waits until its time is up")
            .object("CountDownLatch").culprit("WidgetTask.run", "OfferWidget.draw").thread("widgets-*")
            .victims("page-*").noShare().say();
    }
}
