/**
 * Quotes come in every 200 ms; four subscribers each wait for the next one on the ticker's monitor, look at it,
 * and wait again.
 *
 * Problem: none: quotes come when they come, and each subscriber is done long before the next. Truth: healthy.
 */
final class TickerSubscribersHealthy {
    static final class Ticker {
        private int quote;
        private int number;

        synchronized void publish(int value) {
            quote = value;
            number += 1;
            notifyAll();
        }

        synchronized int after(int seen) throws InterruptedException {
            while (number == seen) {
                wait();
            }
            return number;
        }

        synchronized int quote() {
            return quote;
        }
    }

    static final class Exchange {
        private final Ticker ticker;
        private int value = 1000;

        Exchange(Ticker ticker) {
            this.ticker = ticker;
        }

        void next() throws InterruptedException {
            Thread.sleep(200);
            value += value % 7 - 3;
            ticker.publish(value);
        }
    }

    static final class Subscriber {
        private final Ticker ticker;
        private int seen;
        private int best;

        Subscriber(Ticker ticker) {
            this.ticker = ticker;
        }

        void look() throws InterruptedException {
            seen = ticker.after(seen);
            best = Math.max(best, ticker.quote());
            Truth.sleep(0.002);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Ticker ticker = new Ticker();
        Truth.repeat("exchange-feed", new Exchange(ticker)::next);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("subscriber-" + i, new Subscriber(ticker)::look);
        }
        Truth.sleep(seconds);
        Truth.healthy("subscribers wait for quotes that come when they come").object().culprit().thread()
            .victims().noShare().say();
    }
}
