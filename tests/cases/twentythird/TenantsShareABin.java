import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ten requests look up their tenant's settings in a ConcurrentHashMap, which loads what it lacks by computeIfAbsent.
 *
 * Problem: loading takes 40 ms, and tenants hash by their region, of which there are three. Who loads one tenant's
 * settings keeps everybody out who asks for another one of that region. An evictor drops a tenant every 50 ms. Truth:
 * requests wait for a node of the map because of Settings.load. Measured: loading within the waiting that is not
 * loading itself.
 */
final class TenantsShareABin {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Tenant(int region, int number) {
        @Override
        public int hashCode() {
            return region;
        }
    }

    record Settings(String name) {
        static Settings load(Tenant tenant) {
            long from = System.nanoTime();
            Truth.sleep(0.04);
            DIARY.held(0, from, System.nanoTime());
            return new Settings("tenant " + tenant);
        }
    }

    record Cache(Map<Tenant, Settings> known) {
        Settings of(Tenant tenant) {
            long asked = System.nanoTime();
            long[] began = new long[1];
            Settings settings = known.computeIfAbsent(tenant, key -> {
                began[0] = System.nanoTime();
                return Settings.load(key);
            });
            DIARY.waited(asked, began[0] > 0 ? began[0] : System.nanoTime());
            return settings;
        }
    }

    public static void main(String[] arguments) {
        Cache cache = new Cache(new ConcurrentHashMap<>());
        for (int i = 0; i < 10; i++) {
            int first = i;
            int[] turn = {0};
            Truth.repeat("request-" + i, () -> {
                int number = first + turn[0]++ * 7;
                cache.of(new Tenant(number % 3, number % 15));
                Thread.sleep(4);
            });
        }
        int[] turn = {0};
        Truth.repeat("evictor", () -> {
            int number = turn[0]++;
            cache.known().remove(new Tenant(number % 3, number % 15));
            Thread.sleep(50);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("loading one entry keeps a bin of the map locked").object("Node", "ReservationNode", "TreeBin", "ConcurrentHashMap")
            .culprit("Settings.load").thread("request-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for the map").say();
    }
}
