import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Details of hotels and of flights are kept for 60 ms in a cache of Guava's, which lets one thread load a key and
 * the others wait for it. Twenty searches run at a time, each on a virtual thread where the JDK has them.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: a hotel is asked of a slow partner, HotelPartner.fetch, 25 ms; a flight takes 5 ms, FlightTable.find.
 * Truth: searches wait for a future of Guava's cache because of HotelPartner.fetch. Measured: of what searches wait
 * for keys that others load, the part that is for hotels.
 */
final class DetailsLoadedOncePerKey {
    static final AtomicLong[] WAITED = {new AtomicLong(), new AtomicLong()};
    static final ThreadLocal<Boolean> LOADED = ThreadLocal.withInitial(() -> false);

    static final class HotelPartner {
        String fetch(int number) {
            Truth.sleep(0.025);
            return "hotel " + number;
        }
    }

    static final class FlightTable {
        String find(int number) {
            Truth.sleep(0.005);
            return "flight " + number;
        }
    }

    static final class Details extends CacheLoader<Integer, String> {
        private final HotelPartner hotels = new HotelPartner();
        private final FlightTable flights = new FlightTable();

        @Override
        public String load(Integer key) {
            LOADED.set(true);
            return key % 2 == 0 ? hotels.fetch(key) : flights.find(key);
        }
    }

    static void search(LoadingCache<Integer, String> details, Random random) {
        try {
            while (true) {
                int key = random.nextInt(6);
                LOADED.set(false);
                long from = System.nanoTime();
                details.get(key);
                if (!LOADED.get()) {
                    WAITED[key % 2].addAndGet(System.nanoTime() - from);
                }
                Thread.sleep(10);
            }
        } catch (Exception exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        LoadingCache<Integer, String> details =
            CacheBuilder.newBuilder().expireAfterWrite(60, TimeUnit.MILLISECONDS).build(new Details());
        for (int i = 1; i <= 20; i++) {
            Random random = new Random(i);
            Truth.virtual("search-" + i, () -> search(details, random));
        }
        Truth.sleep(Truth.seconds(arguments));
        double whole = WAITED[0].get() + (double) WAITED[1].get();
        System.out.printf("waited %.2f s in all%n", whole / 1e9);
        Truth.of("a slow partner is asked for what many want").object("SettableFuture", "AbstractFuture", "LocalCache",
                "LoadingValueReference").culprit("HotelPartner.fetch").thread("search-*").victims("search-*")
            .share(WAITED[0].get() / whole, "the searches' waiting for keys that others load").say();
        Runtime.getRuntime().halt(0);
    }
}
