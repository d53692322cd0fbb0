import java.util.concurrent.Semaphore;

/**
 * A site's front page is cached for 400 ms; a backend answers three at a time. Every request also asks the backend
 * for a price, 2 ms.
 *
 * Problem: when the page expires all ten requests that come load it, each by itself, 40 ms of the backend; prices
 * wait behind them. Truth: requests wait for the Semaphore because of FrontPage.load. Measured: the part of their
 * waiting during which pages are loaded, evenly shared among those the backend answers.
 */
final class ExpiryStampedesBackend {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Backend {
        private final Semaphore slots = new Semaphore(3);

        void enter() throws InterruptedException {
            long from = System.nanoTime();
            slots.acquire();
            DIARY.waited(from, System.nanoTime());
        }

        void leave() {
            slots.release();
        }
    }

    static final class FrontPage {
        private final Backend backend;
        private volatile long until;
        private volatile int page;

        FrontPage(Backend backend) {
            this.backend = backend;
        }

        int get() throws InterruptedException {
            if (System.nanoTime() - until > 0) {
                load();
                until = System.nanoTime() + 400_000_000L;
            }
            return page;
        }

        private void load() throws InterruptedException {
            backend.enter();
            long from = System.nanoTime();
            try {
                Thread.sleep(40);
                page = 7;
            } finally {
                DIARY.held(0, from, System.nanoTime());
                backend.leave();
            }
        }
    }

    record Prices(Backend backend) {
        int quote() throws InterruptedException {
            backend.enter();
            long from = System.nanoTime();
            try {
                Thread.sleep(2);
                return 12;
            } finally {
                DIARY.held(1, from, System.nanoTime());
                backend.leave();
            }
        }
    }

    static final class Request {
        private final FrontPage front;
        private final Prices prices;
        private int sum;

        Request(FrontPage front, Prices prices) {
            this.front = front;
            this.prices = prices;
        }

        void serve() throws InterruptedException {
            sum += front.get() * prices.quote();
            Thread.sleep(15);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Backend backend = new Backend();
        FrontPage front = new FrontPage(backend);
        Prices prices = new Prices(backend);
        for (int i = 1; i <= 10; i++) {
            Truth.repeat("request-" + i, new Request(front, prices)::serve);
        }
        DIARY.fill(seconds);
        Truth.of("everybody loads what has expired, and the backend is full of it").object("Semaphore", "NonfairSync")
            .culprit("FrontPage.load").thread("request-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for the backend").say();
    }
}
