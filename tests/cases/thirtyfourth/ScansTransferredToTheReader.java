import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;

/**
 * Five scanners transfer each page to one of two readers, and go on when it was taken. A reader turns the page
 * upright (Deskew.turn, some 3 ms of a processor), has it read, and files it (2 ms).
 *
 * Problem: TextService.read takes 15 ms. Truth: scanners wait at the LinkedTransferQueue because of TextService.read.
 * Measured: the part of the waiting to transfer during which readers read, evenly shared between the two.
 */
final class ScansTransferredToTheReader {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Page(int number, int[] pixels) {
    }

    static final class Deskew {
        private double angle;

        int turn(Page page) {
            long from = System.nanoTime();
            while (System.nanoTime() - from < 3_000_000) {
                for (int pixel : page.pixels()) {
                    angle += Math.sin(pixel);
                }
            }
            DIARY.held(1, from, System.nanoTime());
            return (int) angle;
        }
    }

    static final class TextService {
        String read(Page page) {
            long from = System.nanoTime();
            Truth.sleep(0.015);
            DIARY.held(0, from, System.nanoTime());
            return "page " + page.number();
        }
    }

    static final class Reader implements Truth.Step {
        private final TransferQueue<Page> pages;
        private final Deskew deskew = new Deskew();
        private final TextService service;

        Reader(TransferQueue<Page> pages, TextService service) {
            this.pages = pages;
            this.service = service;
        }

        @Override
        public void run() throws Exception {
            Page page = pages.take();
            deskew.turn(page);
            file(service.read(page));
        }

        private void file(String text) {
            long from = System.nanoTime();
            Truth.sleep(text.isEmpty() ? 0 : 0.002);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        TransferQueue<Page> pages = new LinkedTransferQueue<>();
        TextService service = new TextService();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("page-reader-" + i, new Reader(pages, service));
        }
        for (int i = 1; i <= 5; i++) {
            int pause = 14 + 2 * i;
            int[] pixels = new int[500];
            int[] number = {1000 * i};
            Truth.repeat("scanner-" + i, () -> {
                Page page = new Page(number[0]++, pixels);
                long from = System.nanoTime();
                pages.transfer(page);
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(pause);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("pages are read more slowly than they are scanned").object("LinkedTransferQueue")
            .culprit("TextService.read").thread("page-reader-*").victims("scanner-*")
            .share(DIARY.share(0), "the scanners' waiting to transfer").say();
    }
}
