import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * A lazily opened singleton with double-checked locking, used by six threads.
 *
 * Problem: the file lacks its last tile, so what was opened is used but never kept, and each request opens it anew, one
 * at a time. Truth: lookups wait for the Class of GeoIndex because of GeoIndex.open. Measured: the part of their
 * waiting during which it is opened.
 */
final class IncompleteSingletonIsOpenedAgain {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class GeoIndex {
        private static volatile GeoIndex instance;
        private static Path path;
        private final CRC32 sum = new CRC32();
        private int tiles;

        static GeoIndex get() throws IOException {
            GeoIndex index = instance;
            if (index == null) {
                long from = System.nanoTime();
                synchronized (GeoIndex.class) {
                    long entered = System.nanoTime();
                    DIARY.waited(from, entered);
                    index = instance;
                    if (index == null) {
                        index = open();
                        if (index.tiles == 8193) {
                            instance = index;
                        }
                    }
                    DIARY.held(0, entered, System.nanoTime());
                }
            }
            return index;
        }

        private static GeoIndex open() throws IOException {
            GeoIndex index = new GeoIndex();
            byte[] tile = new byte[512];
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                while (file.read(tile) == tile.length) {
                    index.tiles++;
                    index.sum.update(tile);
                }
            }
            return index;
        }

        boolean contains(int latitude, int longitude) {
            return (sum.getValue() + latitude * 31L + longitude) % 2 == 0;
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        GeoIndex.path = Files.createTempFile("geo", ".idx");
        GeoIndex.path.toFile().deleteOnExit();
        Files.write(GeoIndex.path, new byte[8192 * 512]);
        for (int i = 1; i <= 6; i++) {
            int latitude = i;
            Truth.repeat("lookup-" + i, () -> {
                for (int longitude = 0; longitude < 3; longitude++) {
                    GeoIndex.get().contains(latitude, longitude);
                }
                Thread.sleep(12);
            });
        }
        DIARY.fill(seconds);
        Truth.of("a singleton that is never complete is opened by everybody, in turn").object("Class", "GeoIndex")
            .culprit("GeoIndex.open").thread("lookup-*").victims("lookup-*")
            .share(DIARY.share(0), "the waiting for the class").say();
    }
}
