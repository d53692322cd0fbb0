import com.ticks.flow.Normaliser;
import com.ticks.flow.Tick;
import com.ticks.risk.RiskBook;
import com.ticks.risk.RiskSubscriber;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SubmissionPublisher;

/**
 * Three feeds publish their ticks through java.util.concurrent.Flow: a publisher with a small buffer,
 * a processor that makes quotes of ticks and publishes these, and a subscriber that keeps a book.
 *
 * Problem: for each quote the book is valued anew, RiskBook.revalue, 5 ms. Both buffers are full, and
 * feeds wait in submit. Truth: feeds wait for the publisher's subscription because of RiskBook.revalue,
 * two stages away. Measured: the part of the feeds' waiting in submit during which the book is valued.
 */
final class FeedsPublishIntoAFullStage {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] arguments) {
        int[] number = new int[1];
        ExecutorService stages = Executors.newFixedThreadPool(2, work ->
            Truth.daemon("stage-" + (char) ('a' + number[0]++), work));
        SubmissionPublisher<Tick> ticks = new SubmissionPublisher<>(stages, 4);
        Normaliser normaliser = new Normaliser(stages, 4);
        RiskBook book = new RiskBook();
        normaliser.subscribe(new RiskSubscriber(book, DIARY::held));
        ticks.subscribe(normaliser);
        for (int i = 1; i <= 3; i++) {
            int feed = i;
            Truth.repeat("feed " + (char) ('A' + i), () -> {
                long from = System.nanoTime();
                ticks.submit(new Tick(feed, from));
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(6);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the last stage is slower than the feeds").object("BufferedSubscription", "SubmissionPublisher")
            .culprit("RiskBook.revalue").thread("stage-a", "stage-b").victims("feed B", "feed C", "feed D", "feed *")
            .share(DIARY.share(0), "the feeds' waiting in submit").say();
        Runtime.getRuntime().halt(0);
    }
}
