import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Four searches ask six shards each, on a pool of five threads, and take the hits from an ExecutorCompletionService in
 * the order in which they come.
 *
 * Problem: ShardSearch.search does not ask a shard that is offline, but takes as many results as there are shards.
 * Since the second second one is offline, and each search waits for a sixth result. Truth: stuck, searches wait for
 * the LinkedBlockingQueue of their results because of ShardSearch.search.
 */
final class SearchAwaitsShardNotAsked {
    static final int SHARDS = 6;

    record Shard(int number, long offlineFrom) {
        boolean isOnline() {
            return System.nanoTime() < offlineFrom;
        }

        int find(int word) {
            Truth.sleep(0.002 + number * 0.0005);
            return word * 31 % (number + 7);
        }
    }

    record ShardSearch(ExecutorService pool, List<Shard> shards) {
        int search(int word) throws InterruptedException, ExecutionException {
            CompletionService<Integer> results = new ExecutorCompletionService<>(pool);
            for (Shard shard : shards) {
                if (shard.isOnline()) {
                    results.submit(() -> shard.find(word));
                }
            }
            int hits = 0;
            for (int i = 0; i < shards.size(); i++) {
                hits += results.take().get();
            }
            return hits;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        int[] workers = {0};
        ExecutorService pool = Executors.newFixedThreadPool(5, work -> {
            Thread thread = new Thread(work, "shard-worker-" + ++workers[0]);
            thread.setDaemon(true);
            return thread;
        });
        long later = System.nanoTime() + 1_300_000_000L;
        List<Shard> shards = new ArrayList<>();
        for (int number = 0; number < SHARDS; number++) {
            shards.add(new Shard(number, number == 4 ? later : Long.MAX_VALUE));
        }
        ShardSearch search = new ShardSearch(pool, shards);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int first = i;
            Thread thread = new Thread(() -> {
                try {
                    for (int word = first;; word++) {
                        search.search(word);
                        Thread.sleep(8);
                    }
                } catch (InterruptedException | ExecutionException exception) {
                    System.out.println(exception);
                }
            }, "search-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("more results are taken than were asked for")
            .object("LinkedBlockingQueue", "ConditionObject").culprit("ShardSearch.search").thread("search-*")
            .victims("search-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
