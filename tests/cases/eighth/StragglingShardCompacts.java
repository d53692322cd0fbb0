import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Queries go to four shards at once, each with a thread of its own, and wait for all of the answers.
 *
 * Problem: shard-3 compacts itself on the thread that answers, 90 ms at every twentieth query; the other shards
 * are done long before. Truth: queries wait for their futures because of Segment.merge. Measured: the part of
 * the waiting during which it ran.
 */
final class StragglingShardCompacts {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Segment {
        void merge() {
            long from = System.nanoTime();
            Truth.sleep(0.09);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Shard {
        private final ExecutorService thread;
        private final boolean merges;
        private final Segment segment = new Segment();
        private int asked;

        Shard(int number, boolean merges) {
            this.merges = merges;
            thread = Executors.newSingleThreadExecutor(work -> {
                Thread made = new Thread(work, "shard-" + number);
                made.setDaemon(true);
                return made;
            });
        }

        CompletableFuture<Integer> ask(String words) {
            return CompletableFuture.supplyAsync(() -> look(words), thread);
        }

        private int look(String words) {
            asked += 1;
            if (merges && asked % 20 == 0) {
                segment.merge();
            }
            int hits = 0;
            for (int i = 0; i < 20_000; i++) {
                hits += words.hashCode() % (i + 1) == 0 ? 1 : 0;
            }
            return hits;
        }
    }

    static final class Search {
        private final List<Shard> shards;
        private int hits;

        Search(List<Shard> shards) {
            this.shards = shards;
        }

        void next() throws InterruptedException {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (Shard shard : shards) {
                answers.add(shard.ask("waiting " + hits));
            }
            long from = System.nanoTime();
            CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).join();
            DIARY.waited(from, System.nanoTime());
            for (CompletableFuture<Integer> answer : answers) {
                hits += answer.join();
            }
            Thread.sleep(12);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Shard> shards = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            shards.add(new Shard(i, i == 3));
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("search-" + i, new Search(shards)::next);
        }
        Truth.sleep(seconds);
        Truth.of("one of four shards compacts itself on the thread that answers")
            .object("CompletableFuture", "Signaller").culprit("Segment.merge").thread("shard-3")
            .victims("search-*").share(DIARY.share(0), "the waiting for all of the answers").say();
    }
}
