import java.util.concurrent.locks.ReentrantReadWriteLock;
import shop.cache.ReadThrough;
import shop.tiers.TierClient;
import shop.tiers.Tiers;

/**
 * Prices depend on a customer's tier. Tiers are kept in a cache for reading that nearly all enter with
 * the read lock; a tier is reloaded by whoever finds it too old.
 *
 * Problem: who reloads leaves the read lock, takes the write lock, looks once more, and asks a service
 * with it, TierClient.fetch, 15 ms, so that all who read other tiers wait. Truth: requests wait for
 * the ReentrantReadWriteLock because of TierClient.fetch. Measured: the part of the requests' waiting
 * for either lock during which a tier is fetched.
 */
final class TiersReloadedByWhoReads {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] arguments) {
        TierClient client = new TierClient(DIARY::held);
        Tiers tiers = new Tiers(new ReadThrough<>(new ReentrantReadWriteLock(true), client::fetch, 120_000_000,
            DIARY::waited));
        for (int i = 0; i < 8; i++) {
            int first = i;
            int[] turn = new int[1];
            Truth.repeat("RequestHandler[" + i + "]", () -> {
                tiers.discount("tier" + (first + turn[0]++) % 5);
                Thread.sleep(4);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a tier is fetched with the write lock of a cache").object("ReentrantReadWriteLock", "FairSync")
            .culprit("TierClient.fetch").thread("RequestHandler[*]").victims("RequestHandler[*]")
            .share(DIARY.share(0), "the requests' waiting for the cache's locks").say();
    }
}
