import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * An editor of maps keeps tiles in a LinkedHashMap by order of access, in a synchronizedMap. Seven viewers read a
 * tile each; two painters put new ones.
 *
 * Problem: removeEldestEntry spills the tile that falls out to disk, Spill.write, 9 ms, with the map locked; looking
 * for the eldest takes nothing. A listing copies the map every 80 ms, TileMap.copy, 5 ms. Truth: viewers wait for the
 * SynchronizedMap because of Spill.write. Measured: the part of the waiting for the map during which a tile is
 * spilled.
 */
final class EldestPageIsSpilledInsideTheMap {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Tile(int number) {
    }

    static final class Spill {
        private long written;

        void write(Tile tile) {
            long from = System.nanoTime();
            Truth.sleep(0.009);
            written += tile.number();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    /** As the documentation of LinkedHashMap proposes. */
    static class RecentMap extends LinkedHashMap<Integer, Tile> {
        private static final long serialVersionUID = 1;
        private final int limit;
        private final transient Spill spill;

        RecentMap(int limit, Spill spill) {
            super(16, 0.75f, true);
            this.limit = limit;
            this.spill = spill;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Tile> eldest) {
            if (size() <= limit) {
                return false;
            }
            spill.write(eldest.getValue());
            return true;
        }
    }

    static final class TileMap {
        private final Map<Integer, Tile> tiles = Collections.synchronizedMap(new RecentMap(64, new Spill()));

        Tile tile(int number) {
            return tiles.get(number);
        }

        void put(int number, IntFunction<Tile> painter) {
            Tile tile = painter.apply(number);
            tiles.put(number, tile);
        }

        int copy() {
            synchronized (tiles) {
                long from = System.nanoTime();
                int sum = tiles.size();
                Truth.sleep(0.005);
                DIARY.held(1, from, System.nanoTime());
                return sum;
            }
        }
    }

    static final class Painter implements Truth.Step {
        private final TileMap map;
        private final Random random;

        Painter(TileMap map, int seed) {
            this.map = map;
            random = new Random(seed);
        }

        @Override
        public void run() throws Exception {
            map.put(random.nextInt(1 << 20), Tile::new);
            Thread.sleep(12 + random.nextInt(10));
        }
    }

    public static void main(String[] arguments) {
        TileMap map = new TileMap();
        Truth.repeat("painter-1", new Painter(map, 1));
        Truth.repeat("painter-2", new Painter(map, 2));
        Truth.repeat("lister", () -> {
            map.copy();
            Thread.sleep(80);
        });
        DIARY.clients("viewer", 7, 6, () -> map.tile(7));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("what falls out of a map is written to disk with the map locked")
            .object("SynchronizedMap", "RecentMap").culprit("Spill.write").thread("painter-*").victims("viewer-*")
            .share(DIARY.share(0), "the viewers' waiting for the map").say();
    }
}
