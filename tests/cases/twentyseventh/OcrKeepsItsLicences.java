import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.Semaphore;

/**
 * Two archives index folders of documents in a ForkJoinPool of six threads. A document is read by a library of which two
 * licences were bought; a task waits for one in a ManagedBlocker, as a good task does.
 *
 * Problem: every third document is a scan, and Ocr.recognise keeps its licence for 40 ms; Parser.parse needs 4 ms.
 * Truth: the pool's threads wait for the Semaphore because of Ocr.recognise. Measured: both, with a licence, evenly
 * divided, within the tasks' waiting for one.
 */
final class OcrKeepsItsLicences {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Licence implements ForkJoinPool.ManagedBlocker {
        private final Semaphore licences;
        private boolean got;

        Licence(Semaphore licences) {
            this.licences = licences;
        }

        @Override
        public boolean block() throws InterruptedException {
            licences.acquire();
            got = true;
            return true;
        }

        @Override
        public boolean isReleasable() {
            return got || (got = licences.tryAcquire());
        }
    }

    static final class Ocr {
        int recognise(int document) {
            long from = System.nanoTime();
            Truth.sleep(0.04);
            DIARY.held(0, from, System.nanoTime());
            return document * 7;
        }
    }

    static final class Parser {
        int parse(int document) {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            DIARY.held(1, from, System.nanoTime());
            return document * 3;
        }
    }

    static final class IndexTask extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final transient Semaphore licences;
        private final int first;
        private final int last;

        IndexTask(Semaphore licences, int first, int last) {
            this.licences = licences;
            this.first = first;
            this.last = last;
        }

        private int index(int document) throws InterruptedException {
            long from = System.nanoTime();
            ForkJoinPool.managedBlock(new Licence(licences));
            DIARY.waited(from, System.nanoTime());
            try {
                return document % 3 == 0 ? new Ocr().recognise(document) : new Parser().parse(document);
            } finally {
                licences.release();
            }
        }

        @Override
        protected Integer compute() {
            if (last - first <= 2) {
                int sum = 0;
                for (int i = first; i < last; i++) {
                    try {
                        sum += index(i);
                    } catch (InterruptedException exception) {
                        throw new IllegalStateException(exception);
                    }
                }
                return sum;
            }
            int middle = (first + last) / 2;
            List<IndexTask> halves = new ArrayList<>(invokeAll(List.of(new IndexTask(licences, first, middle),
                new IndexTask(licences, middle, last))));
            return halves.get(0).join() + halves.get(1).join();
        }
    }

    public static void main(String[] arguments) {
        ForkJoinPool pool = new ForkJoinPool(6);
        Semaphore licences = new Semaphore(2);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("archive-" + i, () -> {
                pool.invoke(new IndexTask(licences, 0, 24));
                Thread.sleep(30);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a licence is kept while scans are recognised").object("Semaphore", "NonfairSync")
            .culprit("Ocr.recognise").thread("ForkJoinPool-*-worker-*").victims("ForkJoinPool-*-worker-*")
            .share(DIARY.share(0), "the tasks' waiting for a licence").say();
    }
}
