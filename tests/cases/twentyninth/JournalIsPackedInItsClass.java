import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * All threads log by Journal.write, whose static synchronized method keeps lines in memory.
 *
 * Problem: after each 150 lines that method packs them, as hard as it can: Journal.pack, 30 ms of processor time, with
 * the class locked. Truth: orders wait for the monitor of the class because of Journal.pack. Measured: packing within
 * the orders' waiting.
 */
final class JournalIsPackedInItsClass {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Journal {
        private static final List<String> LINES = new ArrayList<>();
        private static long packed;

        static void write(String line) throws IOException {
            long from = System.nanoTime();
            add(line, from);
        }

        private static synchronized void add(String line, long from) throws IOException {
            DIARY.waited(from, System.nanoTime());
            LINES.add(line);
            if (LINES.size() >= 150) {
                pack();
            }
        }

        private static void pack() throws IOException {
            long from = System.nanoTime();
            byte[] text = String.join("\n", LINES).getBytes("UTF-8");
            byte[] room = new byte[text.length + 100];
            while (System.nanoTime() - from < 30_000_000) {
                Deflater deflater = new Deflater(9);
                deflater.setInput(text);
                deflater.finish();
                packed += deflater.deflate(room);
                deflater.end();
                CRC32 sum = new CRC32();
                sum.update(room);
                packed ^= sum.getValue();
            }
            LINES.clear();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    record Order(int desk, int[] number) implements Truth.Step {
        private void book() throws IOException {
            number[0]++;
            Journal.write("desk " + desk + " booked order " + number[0]);
        }

        @Override
        public void run() throws Exception {
            book();
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("order-" + i, new Order(i, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a static synchronized log method packs what was logged").object("Class", "Journal")
            .culprit("Journal.pack").thread("order-*").victims("order-*")
            .share(DIARY.share(0), "the orders' waiting for the class").say();
    }
}
