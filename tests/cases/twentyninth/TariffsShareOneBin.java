import java.util.concurrent.ConcurrentHashMap;

/**
 * Tariffs and counters are in one ConcurrentHashMap, by region and name; six desks count what they sell by merge.
 *
 * Problem: the key's hashCode is that of the region, so that all of a region are in one bin; an update forgets a tariff
 * every 60 ms, and the next one who asks loads it by computeIfAbsent: Tariffs.load, 35 ms, with the bin locked. Truth:
 * desks wait for a monitor of the map because of Tariffs.load. Measured: loading within the desks' waiting.
 */
final class TariffsShareOneBin {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Key(String region, String name) {
        @Override
        public int hashCode() {
            return region.hashCode();
        }
    }

    static final class Tariffs {
        private final ConcurrentHashMap<Key, Integer> map = new ConcurrentHashMap<>();

        private Integer load(Key key) {
            long from = System.nanoTime();
            Truth.sleep(0.035);
            DIARY.held(0, from, System.nanoTime());
            return key.name().length();
        }

        int tariff(Key key) {
            return map.computeIfAbsent(key, this::load);
        }

        int count(Key key) {
            long from = System.nanoTime();
            int count = map.merge(key, 1, Integer::sum);
            DIARY.waited(from, System.nanoTime());
            return count;
        }

        void forget(Key key) {
            map.remove(key);
        }
    }

    public static void main(String[] arguments) {
        Tariffs tariffs = new Tariffs();
        for (int i = 1; i <= 6; i++) {
            Key key = new Key("north", "sold at desk " + i);
            Truth.repeat("desk-" + i, () -> {
                tariffs.count(key);
                Thread.sleep(4);
            });
        }
        Key night = new Key("north", "night");
        Truth.repeat("enquiry", () -> {
            tariffs.tariff(night);
            Thread.sleep(2);
        });
        Truth.repeat("update", () -> {
            Thread.sleep(60);
            tariffs.forget(night);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a value is loaded while its bin of a map is locked")
            .object("Node", "ReservationNode", "TreeBin", "ConcurrentHashMap").culprit("Tariffs.load", "Tariffs.tariff")
            .thread("enquiry").victims("desk-*").share(DIARY.share(0), "the desks' waiting to count").say();
    }
}
