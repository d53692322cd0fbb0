import java.util.concurrent.atomic.AtomicInteger;

/**
 * A book is set by six threads: each takes the number of the next page, sets the page, and writes it to the book when
 * all pages before it have been written.
 *
 * Problem: every thirtieth page has a map, for which MapPage.project computes for a tenth of a second; the five others
 * are done with their pages long before and wait for it to be written. Truth: setters wait for the Book because of
 * MapPage.project. Measured: what is done about the page that is next, against their waiting for the pages before.
 */
final class PagesWrittenInOrder {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Page {
        byte[] set() throws InterruptedException;
    }

    static final class TextPage implements Page {
        @Override
        public byte[] set() throws InterruptedException {
            Thread.sleep(5);
            return new byte[100];
        }
    }

    static final class MapPage implements Page {
        @Override
        public byte[] set() {
            return new byte[] {(byte) project(95)};
        }

        private double project(int millis) {
            long end = System.nanoTime() + millis * 1_000_000L;
            double latitude = 0.7;
            while (System.nanoTime() < end) {
                for (int i = 0; i < 200; i++) {
                    latitude = Math.atan(Math.sinh(Math.tan(latitude) * 0.99)) + 1e-3;
                }
            }
            return latitude;
        }
    }

    static final class Book {
        private int next;
        private long bytes;
        private long lastWritten = System.nanoTime();

        synchronized void write(int number, byte[] page, boolean map, long begun) throws InterruptedException {
            long asked = System.nanoTime();
            boolean early = number != next;
            while (number != next) {
                wait();
            }
            long now = System.nanoTime();
            if (early) {
                DIARY.waited(asked, now);
            }
            DIARY.held(map ? 0 : 1, Math.max(begun, lastWritten), now);
            bytes += page.length;
            next++;
            lastWritten = now;
            notifyAll();
        }
    }

    record Setter(Book book, AtomicInteger numbers) {
        void setOne() throws InterruptedException {
            int number = numbers.getAndIncrement();
            long begun = System.nanoTime();
            boolean map = number % 30 == 17;
            Page page = map ? new MapPage() : new TextPage();
            book.write(number, page.set(), map, begun);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Book book = new Book();
        AtomicInteger numbers = new AtomicInteger();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("setter-" + i, new Setter(book, numbers)::setOne);
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.printf("waited %.2f s in all, %d pages%n", DIARY.waitedSeconds(), numbers.get());
        Truth.of("pages are written in order, and all others wait for the one that has a map")
            .object("Book").culprit("MapPage.project", "MapPage.set").thread("setter-*").victims("setter-*")
            .share(DIARY.share(0), "the setters' waiting for the pages before").say();
    }
}
