import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;

/**
 * Three exports each write rows into a pipe of 16 KB, from which a vault of their own reads blocks of 1 KB, seals and
 * stores them.
 *
 * Problem: Vault.seal takes 5 ms for each block, so that the export waits at a full pipe, the longer as a reader wakes
 * the writer only once the pipe is empty. Truth: exports wait for the PipedInputStream because of Vault.seal. Measured:
 * when the vault seals, within the export's writes that take more than 1 ms.
 */
final class VaultSealsWhatThePipeBrings {
    static final class Vault {
        private final Truth.Diary diary;
        private final PipedInputStream pipe;
        private final byte[] block = new byte[1024];
        private long stored;

        Vault(Truth.Diary diary, PipedInputStream pipe) {
            this.diary = diary;
            this.pipe = pipe;
        }

        void storeNext() throws IOException {
            int length = pipe.read(block);
            long from = System.nanoTime();
            seal(length);
            diary.held(0, from, System.nanoTime());
        }

        private void seal(int length) {
            Truth.sleep(0.005);
            stored += length;
        }
    }

    static final class Export {
        private final Truth.Diary diary;
        private final PipedOutputStream pipe;
        private final byte[] rows = new byte[512];

        Export(Truth.Diary diary, PipedOutputStream pipe) {
            this.diary = diary;
            this.pipe = pipe;
        }

        void writeRows() throws IOException {
            long from = System.nanoTime();
            pipe.write(rows);
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                diary.waited(from, to);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Truth.Diary[] diaries = new Truth.Diary[3];
        for (int i = 0; i < diaries.length; i++) {
            diaries[i] = new Truth.Diary();
            PipedInputStream out = new PipedInputStream(16 * 1024);
            Truth.repeat("export-" + (i + 1), new Export(diaries[i], new PipedOutputStream(out))::writeRows);
            Truth.repeat("vault-" + (i + 1), new Vault(diaries[i], out)::storeNext);
        }
        Truth.sleep(seconds);
        double waited = 0, sealed = 0;
        for (Truth.Diary diary : diaries) {
            double its = diary.waitedSeconds();
            waited += its;
            sealed += diary.share(0) * its;
        }
        System.out.printf("waited %.2f s in all%n", waited);
        Truth.of("a pipe's reader seals each block before it reads the next").object("PipedInputStream")
            .culprit("Vault.seal", "Vault.storeNext").thread("vault-*").victims("export-*")
            .share(sealed / waited, "the exports' waiting to write").say();
        System.exit(0);
    }
}
