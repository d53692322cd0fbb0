import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.LinkedTransferQueue;

/**
 * Ten packers (virtual threads where the JDK has them) hand labels over to a printer's spooler with
 * LinkedTransferQueue.transfer, which returns once the spooler has taken the label.
 *
 * Problem: the spooler writes each label and forces it to disk twice, LabelSpool.store, before it takes the next.
 * Truth: packers wait for the LinkedTransferQueue because of LabelSpool.store. Measured: the part of their time in
 * transfer during which a label is stored.
 */
final class LabelsForcedToDiskOneByOne {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class LabelSpool {
        private final FileChannel file;
        private final ByteBuffer page = ByteBuffer.allocateDirect(32 * 1024);

        LabelSpool(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.WRITE);
        }

        void store(int label) throws IOException {
            long from = System.nanoTime();
            for (int side = 0; side < 2; side++) {
                page.clear();
                page.putInt(0, label + side);
                file.write(page, (label % 64) * 65536L + side * 32768L);
                file.force(true);
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class LabelPrinter {
        private final LinkedTransferQueue<Integer> tray = new LinkedTransferQueue<>();
        private final LabelSpool spool;

        LabelPrinter(LabelSpool spool) {
            this.spool = spool;
            Truth.repeat("label-printer", this::printNext);
        }

        void handOver(int label) throws InterruptedException {
            long from = System.nanoTime();
            tray.transfer(label);
            DIARY.waited(from, System.nanoTime());
        }

        private void printNext() throws InterruptedException, IOException {
            spool.store(tray.take());
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Path path = Files.createTempFile("labels", ".spool");
        path.toFile().deleteOnExit();
        LabelPrinter printer = new LabelPrinter(new LabelSpool(path));
        for (int i = 1; i <= 10; i++) {
            int packer = i;
            Truth.virtual("packer-" + i, () -> {
                try {
                    for (int n = 0;; n++) {
                        printer.handOver(packer * 1000 + n);
                        Thread.sleep(12);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        DIARY.fill(seconds);
        Truth.of("the taker of a hand-over forces each element to disk before it takes the next")
            .object("LinkedTransferQueue").culprit("LabelSpool.store").thread("label-printer").victims("packer-*")
            .share(DIARY.share(0), "the packers' time in transfer").say();
        System.exit(0);
    }
}
