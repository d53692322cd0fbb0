import static java.lang.System.nanoTime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Ten booking threads write their records into one audit journal, a file behind a ReentrantLock.
 *
 * Problem: AuditJournal.append writes the twelve records of a booking one by one and forces each
 * onto the disk, with the lock held: several milliseconds, with ten threads that come every 15
 * ms. It could force once, or outside.
 *
 * Truth: the lock, append. Measured: when append held the lock and when the journal's size was
 * asked for (which needs the lock, too), and the waits of the bookings.
 */
class JournalForcesEachRecordUnderLock {
    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("audit", ".journal");
        try (AuditJournal journal = new AuditJournal(file)) {
            AtomicInteger number = new AtomicInteger();
            ExecutorService bookings = Executors.newFixedThreadPool(11,
                task -> new Thread(task, "booking-" + number.incrementAndGet()));
            for (int i = 0; i < 10; i++) {
                bookings.execute(new BookingService(journal, i));
            }
            bookings.execute(() -> { }); // one thread more than there is to do
            long end = nanoTime() + (long) (Truth.seconds(args) * 1e9);
            while (nanoTime() < end) {
                journal.size();
                Truth.sleep(0.05);
            }
            journal.closeDay();
            bookings.shutdown();
            bookings.awaitTermination(2, TimeUnit.SECONDS);
            Truth.of("AuditJournal.append forces each single record onto the disk while it holds "
                    + "the journal's lock, and ten booking threads queue for it")
                .object("ReentrantLock")
                .culprit("AuditJournal.append", "AuditJournal.writeAndForce")
                .thread("booking-*")
                .victims("booking-*")
                .share(journal.diary.share(0), "the booking threads' waiting for the lock")
                .say();
        } finally {
            Files.delete(file);
        }
    }
}

class AuditJournal implements AutoCloseable {
    final Truth.Diary diary = new Truth.Diary();
    private final ReentrantLock lock = new ReentrantLock();
    private final FileChannel channel;
    private volatile boolean closing;

    AuditJournal(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.WRITE);
    }

    void append(List<String> records) {
        long asked = nanoTime();
        lock.lock();
        long got = nanoTime();
        diary.waited(asked, got);
        try {
            for (String record : records) {
                writeAndForce(record);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            diary.held(0, got, nanoTime());
            lock.unlock();
        }
    }

    private void writeAndForce(String record) throws IOException {
        if (channel.position() > 1 << 22) {
            channel.position(0);
        }
        ByteBuffer bytes = ByteBuffer.wrap(record.getBytes());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }

    long size() throws IOException {
        lock.lock();
        long got = nanoTime();
        try {
            return channel.size();
        } finally {
            diary.held(1, got, nanoTime());
            lock.unlock();
        }
    }

    void closeDay() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

class BookingService implements Runnable {
    private final AuditJournal journal;
    private final Random random;

    BookingService(AuditJournal journal, int seed) {
        this.journal = journal;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        while (!journal.isClosing()) { // by a flag: an interrupt would close the channel
            book(random.nextInt(100_000));
            Truth.sleep((10 + random.nextInt(10)) / 1e3);
        }
    }

    private void book(int trip) {
        journal.append(IntStream.range(0, 12)
            .mapToObj(line -> "trip " + trip + " line " + line + '\n')
            .collect(Collectors.toList()));
    }
}
