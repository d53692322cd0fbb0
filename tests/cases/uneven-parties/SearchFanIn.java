import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A search asks four shelves at once, each with two threads and a queue of its own, and waits for
 * a CountDownLatch of four. Three shelves answer within 4 to 10 ms. The archive looks through its
 * microfilms, which takes it 60 to 100 ms, and it alone decides when a search is over.
 *
 * Problem: ArchiveShelf.scanFilm. Truth: the searching threads wait for CountDownLatches because
 * of it. Measured: for each search when each of its four parts was waiting in its queue or looked
 * up, evenly shared among the parts that were still missing.
 */
class SearchFanIn {
    static final int ARCHIVE = 0, OTHER = 1;
    static volatile boolean stopped;

    private final List<Shelf> shelves =
        List.of(new Shelf("books"), new Shelf("papers"), new Shelf("maps"), new ArchiveShelf());
    private final List<Searcher> searchers = new ArrayList<>();

    public static void main(String[] arguments) {
        SearchFanIn library = new SearchFanIn();
        library.shelves.forEach(shelf -> shelf.open(2));
        for (int i = 1; i <= 5; i++) {
            Searcher searcher = new Searcher(library.shelves, "http-" + i, i);
            library.searchers.add(searcher);
            searcher.start();
        }
        Truth.run(arguments, () -> stopped = true, 1);
        double waited = 0, archive = 0;
        for (Searcher searcher : library.searchers) {
            double seconds = searcher.diary.waitedSeconds();
            waited += seconds;
            archive += seconds * searcher.diary.share(ARCHIVE);
        }
        Truth.of("searches wait for the slowest of four shelves, the archive, while the other "
            + "three have answered long ago")
            .object("CountDownLatch", "Sync")
            .culprit("ArchiveShelf.scanFilm", "ArchiveShelf.lookUp", "ArchiveShelf.wind")
            .thread("archive-*").victims("http-*")
            .share(archive / waited, "the searches' waiting for their latch").say();
    }

    record Question(String words, CountDownLatch missing, Truth.Diary diary, long asked) {
    }

    static class Searcher extends Thread {
        /** One search at a time: so what is missing is missing to this thread only. */
        final Truth.Diary diary = new Truth.Diary();
        private final List<Shelf> shelves;
        private final Random random;

        Searcher(List<Shelf> shelves, String name, int seed) {
            super(name);
            this.shelves = shelves;
            this.random = new Random(seed);
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (!stopped) {
                    Thread.sleep(30 + random.nextInt(80));
                    search("word " + random.nextInt(50));
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }

        private void search(String words) throws InterruptedException {
            CountDownLatch missing = new CountDownLatch(shelves.size());
            long from = System.nanoTime();
            for (Shelf shelf : shelves) {
                shelf.ask(new Question(words, missing, diary, from));
            }
            missing.await();
            diary.waited(from, System.nanoTime());
        }
    }

    static class Shelf {
        private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
        private final String name;
        private final Random random;

        Shelf(String name) {
            this.name = name;
            this.random = new Random(name.hashCode());
        }

        void open(int threads) {
            for (int i = 1; i <= threads; i++) {
                Thread thread = new Thread(this::serve, name + "-" + i);
                thread.setDaemon(true);
                thread.start();
            }
        }

        void ask(Question question) {
            questions.add(question);
        }

        private void serve() {
            try {
                while (true) {
                    answer(questions.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void answer(Question question) throws InterruptedException {
            lookUp(question.words(), next(100));
            question.diary().held(name.equals("archive") ? ARCHIVE : OTHER, question.asked(),
                System.nanoTime());
            question.missing().countDown();
        }

        private synchronized int next(int bound) {
            return random.nextInt(bound);
        }

        void lookUp(String words, int percent) throws InterruptedException {
            Thread.sleep(4 + percent / 20);
        }
    }

    static class ArchiveShelf extends Shelf {
        ArchiveShelf() {
            super("archive");
        }

        @Override
        void lookUp(String words, int percent) throws InterruptedException {
            scanFilm(words, 6 + percent / 25);
        }

        private void scanFilm(String words, int turns) throws InterruptedException {
            for (int turn = 0; turn < turns; turn++) {
                wind(words.length() % 2 + 10);
            }
        }

        private void wind(int millis) throws InterruptedException {
            Thread.sleep(millis);
        }
    }
}
