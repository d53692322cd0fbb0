import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six scanners of a mail room put letters in a tray for two indexers, unless the tray has the same letter already.
 *
 * Problem: whether it has is asked by LinkedBlockingDeque.contains, which calls equals with the deque's lock held; and
 * a letter that is compared has its text fetched from the store (0.25 ms each, about 40 in the tray). Truth: scanners
 * and indexers wait for the deque's ReentrantLock because of Letter.equals. Measured: from the first comparison to the
 * answer, within the waiting to look, to put and to take.
 */
final class KnownLettersAreFetchedToCompare {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface TextStore {
        String text(int number);
    }

    static final class Letter {
        /** When this letter was first held against another. */
        private long compared;
        private final int number;
        private final TextStore store;

        String text() {
            return store.text(number);
        }

        Letter(int number, TextStore store) {
            this.store = store;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            if (compared == 0) {
                compared = System.nanoTime();
            }
            return other instanceof Letter letter && text().equals(letter.number + " pages");
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    static final class Tray {
        private final BlockingDeque<Letter> letters = new LinkedBlockingDeque<>();

        boolean isKnown(Letter letter) {
            long asked = System.nanoTime();
            boolean known = letters.contains(letter);
            long told = System.nanoTime();
            if (letter.compared != 0) {
                DIARY.waited(asked, letter.compared);
                DIARY.held(0, letter.compared, told);
            }
            return known;
        }

        void lay(Letter letter) {
            long from = System.nanoTime();
            letters.addLast(letter);
            DIARY.waited(from, System.nanoTime());
        }

        /** Null where there is none. */
        Letter lift() {
            long from = System.nanoTime();
            Letter letter = letters.pollFirst();
            DIARY.waited(from, System.nanoTime());
            return letter;
        }
    }

    record Scanner(Tray tray, TextStore store, AtomicInteger numbers) {
        void scan() {
            Letter letter = new Letter(numbers.incrementAndGet(), store);
            if (!tray.isKnown(letter)) {
                tray.lay(letter);
            }
        }
    }

    public static void main(String[] arguments) {
        TextStore store = number -> {
            Truth.sleep(0.00025);
            return number + " pages";
        };
        Tray tray = new Tray();
        AtomicInteger numbers = new AtomicInteger();
        for (int i = 0; i < 40; i++) {
            tray.letters.add(new Letter(numbers.incrementAndGet(), store));
        }
        Scanner scanner = new Scanner(tray, store, numbers);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("scanner-" + i, () -> {
                Thread.sleep(75);
                scanner.scan();
            });
        }
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("indexer-" + i, () -> {
                Thread.sleep(tray.letters.size() > 40 ? 15 : 60);
                tray.lift();
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("letters are compared by a text that is fetched, inside the deque's lock")
            .object("ReentrantLock", "NonfairSync", "LinkedBlockingDeque")
            .culprit("Letter.equals", "Letter.text", "Tray.isKnown", "Scanner.scan").thread("scanner-*")
            .victims("scanner-*").share(DIARY.share(0), "the waiting for the tray").say();
    }
}
