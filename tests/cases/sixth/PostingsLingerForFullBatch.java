import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Postings are written in batches: a writer collects up to 64, for at most 150 ms, and writes them in 8 ms.
 * Each of seven callers waits until its own posting is written.
 *
 * Problem: as every caller has one posting at a time, a batch is never full, and PostingWriter.collect
 * always waits to the end. Truth: callers wait for collect, not for the write. Measured: what the writer
 * did while they waited.
 */
final class PostingsLingerForFullBatch {
    static final int COLLECT = 0, WRITE = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    /** A posting, and who waits for it. */
    static final class Ticket {
        final long cents;
        private final CountDownLatch written = new CountDownLatch(1);

        Ticket(long cents) {
            this.cents = cents;
        }

        void done() {
            written.countDown();
        }

        void await() throws InterruptedException {
            written.await();
        }
    }

    static final class JournalFile {
        private long sum;

        void append(List<Ticket> batch) throws InterruptedException {
            Thread.sleep(8);
            for (Ticket ticket : batch) {
                sum += ticket.cents;
            }
        }

        long sum() {
            return sum;
        }
    }

    static final class PostingWriter {
        private static final int FULL = 64;
        private final BlockingQueue<Ticket> waiting = new LinkedBlockingQueue<>();
        private final JournalFile journal = new JournalFile();

        void submit(Ticket ticket) {
            waiting.add(ticket);
        }

        void writeNext() throws InterruptedException {
            Ticket first = waiting.take();
            long from = System.nanoTime();
            List<Ticket> batch = collect(first);
            long collected = System.nanoTime();
            flush(batch);
            DIARY.held(COLLECT, from, collected);
            DIARY.held(WRITE, collected, System.nanoTime());
        }

        private List<Ticket> collect(Ticket first) throws InterruptedException {
            List<Ticket> batch = new ArrayList<>(FULL);
            batch.add(first);
            long until = System.nanoTime() + 150_000_000L;
            while (batch.size() < FULL) {
                Ticket next = waiting.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    break;
                }
                batch.add(next);
            }
            return batch;
        }

        private void flush(List<Ticket> batch) throws InterruptedException {
            journal.append(batch);
            batch.forEach(Ticket::done);
        }
    }

    record Journal(PostingWriter writer) {
        void post(long cents) throws InterruptedException {
            Ticket ticket = new Ticket(cents);
            writer.submit(ticket);
            confirm(ticket);
        }

        private void confirm(Ticket ticket) throws InterruptedException {
            long from = System.nanoTime();
            ticket.await();
            DIARY.waited(from, System.nanoTime());
        }
    }

    static final class PostingApi {
        private final Journal journal;
        private long cents;

        PostingApi(Journal journal, long cents) {
            this.journal = journal;
            this.cents = cents;
        }

        void handle() throws InterruptedException {
            Thread.sleep(5 + cents % 11);
            journal.post(cents++);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        PostingWriter writer = new PostingWriter();
        Truth.repeat("posting-writer", writer::writeNext);
        Journal journal = new Journal(writer);
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("posting-api-" + i, new PostingApi(journal, i * 100L)::handle);
        }
        Truth.sleep(seconds);
        Truth.of("the writer lingers for a batch that never gets full").object("CountDownLatch")
            .culprit("PostingWriter.collect").thread("posting-writer").victims("posting-api-*")
            .share(DIARY.share(COLLECT), "waiting for one's posting").say();
    }
}
