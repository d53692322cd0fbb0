import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server with four workers answers whatever comes: prices, a millisecond each, which five tills ask for and wait for,
 * and polls for news, which an acceptor hands over on behalf of browsers.
 *
 * Problem: a poll waits for news on the worker, for 300 ms at most, and as there is little news and five polls are
 * under way all of the time, prices are behind them. Truth: tills wait for their FutureTask because of NewsPoll.call.
 * Measured: what the workers run, evenly shared, against the tills' waiting for prices.
 */
final class NewsPollsOccupyTheWorkers {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class News {
        private int last;

        synchronized int newerThan(int known, long millis) throws InterruptedException {
            long end = System.nanoTime() + millis * 1_000_000;
            for (long left = millis; last <= known && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
            return last;
        }

        synchronized void publish() {
            last++;
            notifyAll();
        }

        synchronized int last() {
            return last;
        }
    }

    static final class NewsPoll implements Callable<Integer> {
        private final News news;
        private final AtomicInteger underWay;
        private final int known;

        NewsPoll(News news, AtomicInteger underWay) {
            this.news = news;
            this.underWay = underWay;
            known = news.last();
        }

        @Override
        public Integer call() throws InterruptedException {
            long from = System.nanoTime();
            try {
                return news.newerThan(known, 300);
            } finally {
                DIARY.held(0, from, System.nanoTime());
                underWay.decrementAndGet();
            }
        }
    }

    record PriceRequest(int article) implements Callable<Integer> {
        @Override
        public Integer call() throws InterruptedException {
            long from = System.nanoTime();
            Thread.sleep(1);
            DIARY.held(1, from, System.nanoTime());
            return article * 7 % 100;
        }
    }

    static int askPrice(ExecutorService workers, int article) throws Exception {
        long from = System.nanoTime();
        try {
            return workers.submit(new PriceRequest(article)).get();
        } finally {
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        AtomicInteger number = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(4, work -> {
            Thread thread = new Thread(work, "worker-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        News news = new News();
        AtomicInteger underWay = new AtomicInteger();
        Truth.repeat("acceptor", () -> {
            Thread.sleep(30);
            while (underWay.get() < 5) {
                underWay.incrementAndGet();
                workers.submit(new NewsPoll(news, underWay));
            }
        });
        Truth.repeat("editor", () -> {
            Thread.sleep(900);
            news.publish();
        });
        for (int i = 1; i <= 5; i++) {
            int till = i;
            Truth.repeat("till-" + i, () -> {
                askPrice(workers, till);
                Thread.sleep(60);
            });
        }
        DIARY.fill(seconds);
        Truth.of("polls wait for news on the workers that prices need")
            .object("FutureTask").culprit("NewsPoll.call", "News.newerThan").thread("worker-*").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for prices").say();
    }
}
