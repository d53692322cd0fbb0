import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five pages each gather three articles: three fetchers get them (Fetch.get, 4 ms), a summary is made of each, and
 * the page waits for all of them, by Guava's futures.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: the summary is made wherever the article comes, which is on the fetchers, as the transformation has a
 * direct executor: Summary.fold, 13 ms. Truth: pages wait for a future (CollectionFuture) because of Summary.fold.
 * Measured: what the fetchers do, evenly divided, during the pages' waiting.
 */
final class SummariesFoldedOnTheFetchers {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Fetch {
        String get(String name) {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return "text of " + name;
        }
    }

    static final class Summary {
        static Integer fold(String text) {
            long from = System.nanoTime();
            int words = 0;
            for (int i = 0; i < 13; i++) {
                Truth.sleep(0.001);
                words += text.length();
            }
            DIARY.held(0, from, System.nanoTime());
            return words;
        }
    }

    record Front(ListeningExecutorService fetchers, Fetch fetch) {
        List<Integer> page(List<String> names) throws Exception {
            List<ListenableFuture<Integer>> parts = names.stream().map(this::part).toList();
            return Futures.allAsList(parts).get();
        }

        private ListenableFuture<Integer> part(String name) {
            ListenableFuture<String> text = fetchers.submit(() -> fetch.get(name));
            return Futures.transform(text, Summary::fold, MoreExecutors.directExecutor());
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger threads = new AtomicInteger();
        ListeningExecutorService fetchers = MoreExecutors.listeningDecorator(
            Executors.newFixedThreadPool(3, work -> Truth.daemon("fetcher-" + threads.incrementAndGet(), work)));
        Front front = new Front(fetchers, new Fetch());
        DIARY.clients("page", 5, 45, () -> front.page(List.of("news", "sports", "weather")));
        Truth.repeat("banner", () -> Thread.sleep(70));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("summaries are made by who fetches")
            .object("CollectionFuture", "AbstractFuture", "ListFuture", "AggregateFuture").culprit("Summary.fold")
            .thread("fetcher-*").victims("page-*").share(DIARY.share(0), "the pages' waiting").say();
        Runtime.getRuntime().halt(0);
    }
}
