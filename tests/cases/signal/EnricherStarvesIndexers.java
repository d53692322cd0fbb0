import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A pipeline of documents: a crawler finds more than anybody can eat, one enricher adds an
 * address to each, five indexers take what the enricher hands over through a monitor with wait
 * and notify.
 *
 * Problem: the enricher's GeoCoder.lookup needs 25 to 45 ms a document, an indexer needs 4 ms; so
 * the indexers wait for the enricher's notify most of the time, while the crawler's backlog
 * grows. The monitor of the hand-over is free nearly always.
 *
 * Truth: the hand-over's monitor, the lookup, the enricher. Measured: when the enricher is in a
 * lookup and when elsewhere, and the time that indexers spend in the hand-over's take.
 */
class EnricherStarvesIndexers {
    static final Truth.Diary diary = new Truth.Diary();

    static class Document {
        final int number;
        String place;

        Document(int number) {
            this.number = number;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Document> crawled = new LinkedBlockingQueue<>();
        HandOver handOver = new HandOver();
        List<Thread> all = new ArrayList<>();
        all.add(new Thread(new Crawler(crawled), "crawler-1"));
        all.add(new Thread(new Enricher(crawled, handOver), "enricher-1"));
        for (int i = 1; i <= 5; i++) {
            all.add(new Thread(new Indexer(handOver), "indexer-" + i));
        }
        all.forEach(Thread::start);
        Thread.sleep((long) (Truth.seconds(args) * 1000));
        for (Thread thread : all) {
            thread.interrupt();
        }
        for (Thread thread : all) {
            thread.join(1000);
        }
        Truth.of("indexers idle for the next document because the one enricher looks each "
                + "address up in GeoCoder.lookup, while crawled documents pile up before it")
            .object("HandOver")
            .culprit("GeoCoder.lookup", "Enricher.enrich", "Enricher.run")
            .thread("enricher-*")
            .victims("indexer-*")
            .share(diary.share(0), "the indexers' waiting for a document")
            .say();
    }
}

class HandOver {
    private final LinkedList<EnricherStarvesIndexers.Document> ready = new LinkedList<>();

    synchronized void give(EnricherStarvesIndexers.Document document) {
        ready.addLast(document);
        notify();
    }

    synchronized EnricherStarvesIndexers.Document take() throws InterruptedException {
        while (ready.isEmpty()) {
            wait();
        }
        return ready.removeFirst();
    }
}

class Crawler implements Runnable {
    private final BlockingQueue<EnricherStarvesIndexers.Document> found;

    Crawler(BlockingQueue<EnricherStarvesIndexers.Document> found) {
        this.found = found;
    }

    @Override
    public void run() {
        try {
            for (int number = 0; ; number++) {
                found.put(new EnricherStarvesIndexers.Document(number));
                Thread.sleep(10);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}

class Enricher implements Runnable {
    private final BlockingQueue<EnricherStarvesIndexers.Document> source;
    private final HandOver target;
    private final GeoCoder coder = new GeoCoder();

    Enricher(BlockingQueue<EnricherStarvesIndexers.Document> source, HandOver target) {
        this.source = source;
        this.target = target;
    }

    @Override
    public void run() {
        try {
            while (true) {
                long from = System.nanoTime();
                EnricherStarvesIndexers.Document document = source.take();
                long taken = System.nanoTime();
                EnricherStarvesIndexers.diary.held(1, from, taken);
                enrich(document);
                EnricherStarvesIndexers.diary.held(0, taken, System.nanoTime());
                target.give(document);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void enrich(EnricherStarvesIndexers.Document document) throws InterruptedException {
        document.place = coder.lookup("street " + document.number);
    }
}

class GeoCoder {
    private final Random random = new Random(21);

    String lookup(String street) throws InterruptedException {
        Thread.sleep(25 + random.nextInt(20));
        return street + ", 10115 Berlin";
    }
}

class Indexer implements Runnable {
    private final HandOver source;
    private int terms;

    Indexer(HandOver source) {
        this.source = source;
    }

    @Override
    public void run() {
        try {
            while (true) {
                index(next());
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private EnricherStarvesIndexers.Document next() throws InterruptedException {
        long asked = System.nanoTime();
        try {
            return source.take();
        } finally {
            EnricherStarvesIndexers.diary.waited(asked, System.nanoTime());
        }
    }

    private void index(EnricherStarvesIndexers.Document document) throws InterruptedException {
        Thread.sleep(4);
        terms += document.place.length();
    }
}
