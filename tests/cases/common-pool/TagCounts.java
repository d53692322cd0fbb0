import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A blog counts the tags of its articles with parallel streams and fills its side bar with
 * supplyAsync, all on the common pool of three workers. Nothing in there blocks for more than 2
 * ms, and authors think for some hundred milliseconds between two looks.
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
interface TagCounts {
    List<String> TAGS = List.of("java", "travel", "food", "music", "maps");

    static void main(String[] arguments) {
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "3");
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i * 17L);
            Thread author = new Thread(() -> look(random), "author-" + i);
            author.setDaemon(true);
            author.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("tasks of the common pool are short, and nobody waits long for them")
            .object().culprit().thread().victims().noShare().say();
    }

    private static void look(Random random) {
        while (true) {
            Truth.sleep(0.15 + 0.2 * random.nextDouble());
            CompletableFuture<String> sideBar = CompletableFuture.supplyAsync(TagCounts::sideBar);
            Map<String, Long> counts = countTags(200 + random.nextInt(800));
            if (counts.size() > TAGS.size() || sideBar.join().isEmpty()) {
                throw new IllegalStateException("tags out of nothing");
            }
        }
    }

    private static Map<String, Long> countTags(int articles) {
        return IntStream.range(0, articles).parallel().mapToObj(TagCounts::tagOf)
            .collect(Collectors.groupingByConcurrent(Function.identity(), Collectors.counting()));
    }

    private static String tagOf(int article) {
        return TAGS.get((article * 31 + article / 7) % TAGS.size());
    }

    private static String sideBar() {
        Truth.sleep(0.002);
        return TAGS.get(ThreadLocalRandom.current().nextInt(TAGS.size()));
    }
}
