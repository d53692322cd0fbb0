import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Quotes come in nine times a second, three at a time. Four threads take them from a queue, check them, 2 to 8 ms, and
 * pass them on in the order in which they came; three subscribers wait for the next one.
 *
 * Problem: none: who is early waits some milliseconds for the quote before its own, and everybody waits for quotes.
 * Truth: healthy.
 */
final class QuotesPassedOnInOrderHealthy {
    record Quote(int number, double price) {
    }

    static final class Tape {
        private int next;
        private Quote last;

        synchronized void passOn(Quote quote) throws InterruptedException {
            while (quote.number() != next) {
                wait();
            }
            next++;
            last = quote;
            notifyAll();
        }

        synchronized Quote after(int number) throws InterruptedException {
            while (last == null || last.number() <= number) {
                wait();
            }
            return last;
        }
    }

    static void check(Quote quote) throws InterruptedException {
        Thread.sleep(2 + quote.number() * 5 % 7);
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Tape tape = new Tape();
        BlockingQueue<Quote> incoming = new LinkedBlockingQueue<>();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("checker-" + i, () -> {
                Quote quote = incoming.take();
                check(quote);
                tape.passOn(quote);
            });
        }
        for (int i = 1; i <= 3; i++) {
            int[] seen = {-1};
            Truth.repeat("subscriber-" + i, () -> {
                seen[0] = tape.after(seen[0]).number();
                Thread.sleep(1);
            });
        }
        int[] number = {0};
        Truth.repeat("exchange", () -> {
            for (int i = 0; i < 3; i++) {
                incoming.add(new Quote(number[0]++, Math.random()));
            }
            Thread.sleep(110);
        });
        Thread.sleep((long) (seconds * 1000));
        System.out.println("quotes: " + number[0]);
        Truth.healthy("quotes are passed on within milliseconds of their coming").object().culprit().thread().victims()
            .noShare().say();
    }
}
