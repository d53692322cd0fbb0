import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A market feed: a reader thread takes frames from the exchange's line and notes the last quotes, queries
 * read them, and a supervisor restarts the feed when the line has a gap.
 *
 * Problem: MarketFeed.stop is synchronized and joins the reader, which needs the same monitor to note the
 * quote it has just read. All queries wait for that monitor. Truth: stuck since the first gap, at 1.6 s.
 * Measured: nothing else.
 */
final class FeedStopJoinsUnderMonitor {
    record Quote(String symbol, long cents, int sequence) {
    }

    /** The line to the exchange: 250 frames a second, and a gap after 1.6 s. */
    static final class ExchangeLine {
        private static final String[] SYMBOLS = {"ABB", "BAS", "CBK", "DTE", "EOAN", "FRE"};
        private final Random random = new Random(7);
        private final long gapAt = System.nanoTime() + 1_600_000_000L;
        private int sequence;
        private boolean lost;

        Quote next() throws InterruptedException {
            Thread.sleep(4);
            if (!lost && System.nanoTime() > gapAt) {
                lost = true;
                sequence += 12;
            }
            return new Quote(SYMBOLS[random.nextInt(SYMBOLS.length)], 1000 + random.nextInt(500),
                sequence++);
        }
    }

    static final class MarketFeed {
        private final Map<String, Quote> last = new HashMap<>();
        private final ExchangeLine line;
        private volatile boolean running;
        private volatile int gaps;
        private int expected;
        private Thread reader;

        MarketFeed(ExchangeLine line) {
            this.line = line;
        }

        synchronized void start() {
            running = true;
            reader = new Thread(this::readAll, "feed-reader");
            reader.setDaemon(true);
            reader.start();
        }

        synchronized void stop() throws InterruptedException {
            running = false;
            reader.join();
            last.clear();
        }

        synchronized Quote latest(String symbol) {
            return last.get(symbol);
        }

        int gaps() {
            return gaps;
        }

        synchronized Thread reader() {
            return reader;
        }

        private void readAll() {
            try {
                while (running) {
                    dispatch(line.next());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void dispatch(Quote quote) {
            if (quote.sequence() != expected) {
                gaps++;
                Truth.sleep(0.03); // asks for what it missed
            }
            expected = quote.sequence() + 1;
            note(quote);
        }

        private synchronized void note(Quote quote) {
            last.put(quote.symbol(), quote);
        }
    }

    /** Looks each 20 ms whether the feed has lost something, and then starts it anew. */
    static final class Supervisor {
        private final MarketFeed feed;
        private int known;

        Supervisor(MarketFeed feed) {
            this.feed = feed;
        }

        void look() throws InterruptedException {
            Thread.sleep(20);
            if (feed.gaps() != known) {
                known = feed.gaps();
                restart();
            }
        }

        private void restart() throws InterruptedException {
            Truth.hangsOnce(List.of(Thread.currentThread(), feed.reader()));
            feed.stop();
            feed.start();
        }
    }

    record QuoteApi(MarketFeed feed) {
        void serve(String symbol) throws InterruptedException {
            Thread.sleep(7);
            render(feed.latest(symbol));
        }

        private String render(Quote quote) {
            return quote == null ? "n/a" : quote.symbol() + " " + quote.cents() / 100.0;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        MarketFeed feed = new MarketFeed(new ExchangeLine());
        feed.start();
        Truth.repeat("feed-supervisor", new Supervisor(feed)::look);
        for (int i = 1; i <= 5; i++) {
            QuoteApi api = new QuoteApi(feed);
            String symbol = ExchangeLine.SYMBOLS[i % 6];
            Truth.repeat("quote-api-" + i, () -> api.serve(symbol));
        }
        Truth.sayAndHalt(Truth.stuck("the feed is stopped, holding its monitor, by a join of the reader, "
            + "which needs that monitor").object("MarketFeed", "Thread").culprit("MarketFeed.stop")
            .thread("feed-supervisor").victims("quote-api-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}
