import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Seven vets drop findings into a mailbox with room for four; a courier takes each, has it converted in the office,
 * and mails it (1 ms). The mailbox is of wait and notifyAll.
 *
 * Problem: the office has one thread, and the archivist sends it bundles to compress (150 ms) besides, so that the
 * courier's conversions (2 ms) wait their turn. Truth: vets wait for the Mailbox because of Bundle.call. Measured:
 * compressing, converting and mailing within the vets' waiting.
 */
final class CourierAwaitsTheArchive {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Mailbox {
        private final Deque<String> findings = new ArrayDeque<>();

        synchronized void drop(String finding) throws InterruptedException {
            while (findings.size() >= 4) {
                wait();
            }
            findings.addLast(finding);
            notifyAll();
        }

        synchronized String collect() throws InterruptedException {
            while (findings.isEmpty()) {
                wait();
            }
            String finding = findings.removeFirst();
            notifyAll();
            return finding;
        }
    }

    /** A year of findings. */
    record Bundle(int year) implements Callable<Integer> {
        @Override
        public Integer call() {
            long from = System.nanoTime();
            Truth.sleep(0.15);
            DIARY.held(0, from, System.nanoTime());
            return year;
        }
    }

    static final class Office {
        private final ExecutorService clerk = Executors.newSingleThreadExecutor(work -> Truth.daemon("clerk-1", work));

        Future<String> convert(String finding) {
            return clerk.submit(() -> {
                long from = System.nanoTime();
                Truth.sleep(0.002);
                DIARY.held(1, from, System.nanoTime());
                return "<" + finding + ">";
            });
        }

        Future<Integer> archive(Bundle bundle) {
            return clerk.submit(bundle);
        }
    }

    record Courier(Mailbox mailbox, Office office) implements Truth.Step {
        @Override
        public void run() throws Exception {
            String letter = office.convert(mailbox.collect()).get();
            long from = System.nanoTime();
            mail(letter);
            DIARY.held(1, from, System.nanoTime());
        }

        private void mail(String letter) {
            Truth.sleep(letter.isEmpty() ? 0 : 0.001);
        }
    }

    public static void main(String[] arguments) {
        Mailbox mailbox = new Mailbox();
        Office office = new Office();
        Truth.repeat("courier", new Courier(mailbox, office));
        DIARY.clients("vet", 7, 60, () -> mailbox.drop("healthy"));
        int[] year = {1950};
        Truth.repeat("archivist", () -> {
            office.archive(new Bundle(year[0]++));
            Thread.sleep(340);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("bundles are compressed on the one thread that the courier's conversions need").object("Mailbox")
            .culprit("Bundle.call").thread("clerk-*").victims("vet-*")
            .share(DIARY.share(0), "the vets' waiting for room in the mailbox").say();
    }
}
