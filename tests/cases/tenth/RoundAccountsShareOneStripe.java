import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Accounts are guarded by sixteen locks, chosen by the last bits of their number; a posting changes the balance and is
 * written to the journal, on the disk, within its lock.
 *
 * Problem: numbers end in 00, in hexadecimal, so all accounts share one lock, and everybody waits for the disk in turn.
 * Truth: posters wait for a ReentrantLock because of Journal.append. Measured: the part of their waiting during which
 * somebody appends.
 */
final class RoundAccountsShareOneStripe {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Journal {
        private final FileChannel file;

        Journal(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        void append(long account, long amount) {
            long from = System.nanoTime();
            ByteBuffer row = ByteBuffer.allocate(8192).putLong(account).putLong(amount);
            try {
                for (int copy = 0; copy < 24; copy++) {
                    row.position(0);
                    file.write(row, 8192L * (account & 255) + 8192L * copy);
                    file.force(true);
                }
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Ledger {
        private final ReentrantLock[] stripes = new ReentrantLock[16];
        private final long[] balances = new long[64];
        private final Journal journal;

        Ledger(Journal journal) {
            this.journal = journal;
            for (int i = 0; i < stripes.length; i++) {
                stripes[i] = new ReentrantLock();
            }
        }

        void post(long account, long amount) {
            ReentrantLock stripe = stripes[(int) (account & 15)];
            long from = System.nanoTime();
            stripe.lock();
            try {
                long entered = System.nanoTime();
                DIARY.waited(from, entered);
                balances[(int) (account >> 8)] += amount;
                DIARY.held(1, entered, System.nanoTime());
                journal.append(account, amount);
            } finally {
                stripe.unlock();
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Path path = Files.createTempFile("journal", ".dat");
        path.toFile().deleteOnExit();
        Ledger ledger = new Ledger(new Journal(path));
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("poster-" + i, () -> {
                ledger.post((long) ThreadLocalRandom.current().nextInt(64) << 8, 100);
                Thread.sleep(3);
            });
        }
        DIARY.fill(seconds);
        Truth.of("all accounts fall on one of sixteen locks, which is kept while the disk writes")
            .object("ReentrantLock", "NonfairSync").culprit("Journal.append").thread("poster-*").victims("poster-*")
            .share(DIARY.share(0), "the posters' waiting for their lock").say();
    }
}
