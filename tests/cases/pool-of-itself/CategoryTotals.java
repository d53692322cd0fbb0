import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A shop sums up its tree of categories: each node asks for its children's sums with supplyAsync
 * on a fixed pool of six and joins them, on a thread of that pool. One walk at a time fits into
 * the pool; after two seconds there are three, and inner nodes fill all six threads while the
 * leaves are queued.
 *
 * Problem: Walker.sumOf joins futures of the pool that runs it. Truth: stuck at
 * CompletableFutures. Measured: no share, it never ends; HANG is said once no walk has ended for
 * a second.
 */
final class CategoryTotals {
    static final AtomicLong walks = new AtomicLong();
    static volatile boolean sale;

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("nodes of a tree join futures of their children on the very "
            + "pool of six that must run the children; inner nodes fill it")
            .object("CompletableFuture", "Signaller")
            .culprit("Walker.sumOf", "Walker.joined")
            .thread("totals-*").victims("shop-*", "totals-*").noShare(),
            Truth.seconds(arguments));
        int[] number = {0};
        Executor totals = Executors.newFixedThreadPool(6,
            task -> new Thread(task, "totals-" + ++number[0]));
        Walker<Integer> walker = new Walker<>(totals, CategoryTotals::stockOf);
        Node<Integer> root = tree(1, 2);
        Runnable idle = () -> { };
        Executors.newSingleThreadExecutor(task -> new Thread(task, "invalidator")).execute(idle);
        for (int i = 1; i <= 3; i++) {
            int shop = i;
            new Thread(() -> serve(shop, walker, root), "shop-" + i).start();
        }
        Truth.sleep(2);
        sale = true;
        long seen = -1;
        while (seen != walks.get()) {
            seen = walks.get();
            Thread.sleep(1000);
        }
        Truth.hangs();
    }

    static void serve(int shop, Walker<Integer> walker, Node<Integer> root) {
        while (true) {
            if (shop == 1 || sale) {
                walker.total(root);
                walks.incrementAndGet();
            }
            Truth.sleep(0.005 * shop);
        }
    }

    static long stockOf(Integer category) {
        Truth.sleep(0.003);
        return category * 7L;
    }

    static Node<Integer> tree(int category, int depth) {
        List<Node<Integer>> children = depth == 0 ? List.of()
            : IntStream.rangeClosed(1, 3).mapToObj(i -> tree(category * 10 + i, depth - 1))
                .collect(Collectors.toList());
        return new Node<>(category, children);
    }

    record Node<T>(T value, List<Node<T>> children) {
    }

    static final class Walker<T> {
        private final Executor pool;
        private final ToLongFunction<T> weight;

        Walker(Executor pool, ToLongFunction<T> weight) {
            this.pool = pool;
            this.weight = weight;
        }

        long total(Node<T> root) {
            return fork(root).join();
        }

        private CompletableFuture<Long> fork(Node<T> node) {
            return CompletableFuture.supplyAsync(() -> sumOf(node), pool);
        }

        private long sumOf(Node<T> node) {
            long own = weight.applyAsLong(node.value());
            return own + joined(node.children().stream().map(this::fork)
                .collect(Collectors.toList())).sum();
        }

        private LongStream joined(List<CompletableFuture<Long>> sums) {
            return sums.stream().mapToLong(CompletableFuture::join);
        }
    }
}
