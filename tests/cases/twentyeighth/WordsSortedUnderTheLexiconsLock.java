import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five editors look words up in a lexicon, under its ReentrantLock, within microseconds.
 *
 * Problem: every 90 ms a new edition is sorted with the lock in hand, Lexicon.sort, some tens of milliseconds of
 * computing. Truth: editors wait for the ReentrantLock because of Lexicon.sort. Measured: sorting within the editors'
 * waiting.
 */
final class WordsSortedUnderTheLexiconsLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Lexicon {
        private final ReentrantLock lock = new ReentrantLock();
        private final Random random = new Random(7);
        private List<String> words = new ArrayList<>(List.of("a"));

        String find(int at) {
            long from = System.nanoTime();
            lock.lock();
            DIARY.waited(from, System.nanoTime());
            try {
                return words.get(at % words.size());
            } finally {
                lock.unlock();
            }
        }

        private void sort() {
            long from = System.nanoTime();
            List<String> edition = new ArrayList<>();
            for (int i = 0; i < 9000; i++) {
                edition.add(Long.toString(random.nextLong(), 36));
            }
            Collections.sort(edition);
            words = edition;
            DIARY.held(0, from, System.nanoTime());
        }

        void renew() {
            lock.lock();
            try {
                sort();
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Lexicon lexicon = new Lexicon();
        int[] found = new int[6];
        for (int i = 1; i <= 5; i++) {
            int editor = i;
            Truth.repeat("editor-" + i, () -> {
                found[editor] += lexicon.find(editor * 31).length();
                Thread.sleep(3);
            });
        }
        Truth.repeat("printer", () -> {
            lexicon.renew();
            Thread.sleep(60);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a lexicon is sorted under the lock of those who look words up").object("ReentrantLock",
            "NonfairSync").culprit("Lexicon.sort", "Lexicon.renew").thread("printer").victims("editor-*")
            .share(DIARY.share(0), "the editors' waiting for the lexicon").say();
    }
}
