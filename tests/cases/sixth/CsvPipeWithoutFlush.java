import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Three exports run at a time. Of each, one thread formats a row every 15 to 35 ms and writes it into a
 * pipe, another reads the pipe and sends rows to the browser, which shows them as they come.
 *
 * Problem: CsvSpool.append writes and does not flush; a PipedInputStream is woken by a flush or by a full
 * pipe, and looks by itself each second only. Truth: uploaders wait at pipes that have rows in them.
 * Measured: how old a row is when it is sent.
 */
final class CsvPipeWithoutFlush {
    static final AtomicLong ROWS = new AtomicLong(), AGES = new AtomicLong();

    /** The end of the pipe that is written. */
    static final class CsvSpool {
        private final PipedOutputStream out;

        CsvSpool(PipedInputStream in) throws IOException {
            out = new PipedOutputStream(in);
        }

        void append(String row) throws IOException {
            out.write((row + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    static final class RowFormatter {
        String format(int number, long cents) {
            return System.nanoTime() + ";" + number + ";" + cents / 100 + "." + cents % 100;
        }
    }

    static final class Export {
        private final CsvSpool spool;
        private final RowFormatter formatter = new RowFormatter();
        private final Random random;
        private int number;

        Export(CsvSpool spool, int seed) {
            this.spool = spool;
            random = new Random(seed);
        }

        void writeNext() throws IOException, InterruptedException {
            long cents = query();
            spool.append(formatter.format(number++, cents));
        }

        private long query() throws InterruptedException {
            Thread.sleep(15 + random.nextInt(21));
            return random.nextInt(100_000);
        }
    }

    static final class Browser {
        void show(String row) {
            long written = Long.parseLong(row.substring(0, row.indexOf(';')));
            AGES.addAndGet(System.nanoTime() - written);
            ROWS.incrementAndGet();
        }
    }

    static final class Uploader {
        private final BufferedReader rows;
        private final Browser browser = new Browser();

        Uploader(InputStream in) {
            rows = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        void sendNext() throws IOException {
            String row = nextRow();
            if (row != null) {
                browser.show(row);
            }
        }

        private String nextRow() throws IOException {
            return rows.readLine();
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 3; i++) {
            PipedInputStream in = new PipedInputStream(64 * 1024);
            Truth.repeat("export-writer-" + i, new Export(new CsvSpool(in), i)::writeNext);
            Truth.repeat("export-uploader-" + i, new Uploader(in)::sendNext);
        }
        Truth.sleep(seconds);
        System.out.println(ROWS + " rows, sent " + AGES.get() / Math.max(1, ROWS.get()) / 1_000_000
            + " ms after they were written");
        Truth.of("rows are written into a pipe without a flush").object("PipedInputStream")
            .culprit("CsvSpool.append").thread("export-writer-*").victims("export-uploader-*").noShare()
            .say();
    }
}
