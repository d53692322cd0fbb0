import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five feeds keep a model up to date; each change is shown by the one screen thread, and who changes waits until it is.
 *
 * Problem: they wait so with the model's lock, and the screen thread also renders previews, 60 ms of a processor each
 * 150 ms. Truth: feeds wait for the model's ReentrantLock because of Preview.render (Model.change holds it, and waits
 * for the screen thread). Measured: the part of their waiting for the lock during which it renders.
 */
final class ModelAwaitsBusyScreenThread {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Screen {
        private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
        private long shown;

        Screen() {
            Truth.repeat("screen", () -> events.take().run());
        }

        void invokeLater(Runnable event) {
            events.add(event);
        }

        void invokeAndWait(Runnable event) throws InterruptedException {
            CountDownLatch done = new CountDownLatch(1);
            events.add(() -> {
                event.run();
                done.countDown();
            });
            done.await();
        }

        private void show(double value) {
            shown += value > 0 ? 1 : 2;
        }
    }

    static final class Preview implements Runnable {
        private double light;

        @Override
        public void run() {
            long from = System.nanoTime();
            render();
            DIARY.held(0, from, System.nanoTime());
        }

        private void render() {
            long end = System.nanoTime() + 60_000_000;
            while (System.nanoTime() < end) {
                for (int i = 1; i < 500; i++) {
                    light += Math.sqrt(i) / (1 + light);
                }
            }
        }
    }

    static final class Model {
        private final ReentrantLock lock = new ReentrantLock();
        private final Screen screen;
        private double value;

        Model(Screen screen) {
            this.screen = screen;
        }

        void change(double by) throws InterruptedException {
            long asked = System.nanoTime();
            lock.lock();
            try {
                DIARY.waited(asked, System.nanoTime());
                value += by;
                screen.invokeAndWait(() -> screen.show(value));
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Screen screen = new Screen();
        Model model = new Model(screen);
        Preview preview = new Preview();
        Truth.repeat("editor", () -> {
            screen.invokeLater(preview);
            Thread.sleep(150);
        });
        for (int i = 1; i <= 5; i++) {
            int by = i;
            Truth.repeat("feed-" + i, () -> {
                model.change(by);
                Thread.sleep(6);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.printf("waited %.2f s in all, shown %d%n", DIARY.waitedSeconds(), screen.shown);
        Truth.of("who changes the model awaits, with its lock, a screen thread that renders previews")
            .object("ReentrantLock", "NonfairSync").culprit("Preview.render").thread("screen").victims("feed-*")
            .share(DIARY.share(0), "the feeds' waiting for the model's lock").say();
    }
}
