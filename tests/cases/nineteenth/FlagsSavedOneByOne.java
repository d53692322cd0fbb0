import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.prefs.AbstractPreferences;

/**
 * Five fronts read feature flags from a store of the program's own under java.util.prefs, as often as they serve a
 * page.
 *
 * Problem: an editor changes flags, and the store saves each at once, FlagFile.save, for 35 ms, which
 * AbstractPreferences.put calls under the node's lock. Truth: fronts wait for that monitor, an Object, because of
 * FlagFile.save. Measured: when it runs, within the fronts' reading of a flag, where that takes more than 1 ms.
 */
final class FlagsSavedOneByOne {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger PAGES = new AtomicInteger();

    static final class FlagFile {
        private int saved;

        void save() {
            long from = System.nanoTime();
            Truth.sleep(0.035);
            saved++;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class FlagStore extends AbstractPreferences {
        private final Map<String, String> flags = new ConcurrentHashMap<>();
        private final FlagFile file = new FlagFile();

        FlagStore() {
            super(null, "");
        }

        @Override
        protected void putSpi(String key, String value) {
            flags.put(key, value);
            file.save();
        }

        @Override
        protected String getSpi(String key) {
            return flags.get(key);
        }

        @Override
        protected void removeSpi(String key) {
            flags.remove(key);
        }

        @Override
        protected void removeNodeSpi() {
            flags.clear();
        }

        @Override
        protected String[] keysSpi() {
            return flags.keySet().toArray(new String[0]);
        }

        @Override
        protected String[] childrenNamesSpi() {
            return new String[0];
        }

        @Override
        protected AbstractPreferences childSpi(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void syncSpi() {
            file.save();
        }

        @Override
        protected void flushSpi() {
            file.save();
        }
    }

    record Front(FlagStore flags) {
        void serve(int page) {
            long from = System.nanoTime();
            boolean shown = flags.getBoolean("banner-" + page % 4, false);
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Truth.sleep(shown ? 0.006 : 0.008);
            PAGES.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        FlagStore flags = new FlagStore();
        for (int i = 1; i <= 5; i++) {
            Front front = new Front(flags);
            int[] page = {i};
            Truth.repeat("front-" + i, () -> front.serve(page[0]++));
        }
        int[] change = {0};
        Truth.repeat("editor", () -> {
            change[0]++;
            flags.putBoolean("banner-" + change[0] % 4, change[0] % 3 == 0);
            Thread.sleep(40);
        });
        Truth.sleep(seconds);
        System.out.printf("%d pages, waited %.2f s%n", PAGES.get(), DIARY.waitedSeconds());
        Truth.of("each flag is saved under the lock of its node").object("Object")
            .culprit("FlagFile.save", "FlagStore.putSpi").thread("editor").victims("front-*")
            .share(DIARY.share(0), "the reading of flags").say();
        Runtime.getRuntime().halt(0);
    }
}
