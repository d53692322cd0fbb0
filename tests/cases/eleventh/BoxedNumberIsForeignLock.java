import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Tills of four shops book their sales, one at a time for each shop; printers of shelf labels print one roll at a time
 * each. Both kinds lock the number of what they are.
 *
 * Problem: the number is boxed, and boxes of small numbers are shared by all of the JVM: who prints on printer 3, 140
 * ms for a roll, locks out shop 3. Truth: tills wait for an Integer because of LabelPrinter.print. Measured: the part
 * of their waiting during which it prints.
 */
final class BoxedNumberIsForeignLock {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Shop {
        private final Object lock;
        private final Map<String, Integer> sold = new HashMap<>();

        Shop(Integer number) {
            lock = number;
        }

        void book(String article) throws InterruptedException {
            long asked = System.nanoTime();
            synchronized (lock) {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                sold.merge(article, 1, Integer::sum);
                Thread.sleep(1);
                DIARY.held(1, from, System.nanoTime());
            }
        }
    }

    static final class LabelPrinter {
        private final Object lock;
        private int feet;

        LabelPrinter(Integer number) {
            lock = number;
        }

        void print(String[] labels) throws InterruptedException {
            synchronized (lock) {
                long from = System.nanoTime();
                for (String label : labels) {
                    Thread.sleep(7);
                    feet += label.length() / 10;
                }
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Shop[] shops = new Shop[4];
        for (int i = 0; i < 4; i++) {
            shops[i] = new Shop(i + 1);
        }
        LabelPrinter printer = new LabelPrinter(3);
        Truth.repeat("label-printer", () -> {
            String[] labels = new String[20];
            Arrays.fill(labels, "Plums, 1 kg: 2.49");
            printer.print(labels);
            Thread.sleep(120);
        });
        for (int i = 0; i < 16; i++) {
            Shop shop = shops[i % 4];
            int till = i;
            Truth.repeat("till-" + (i + 1), () -> {
                shop.book("article " + till % 5);
                Thread.sleep(9);
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.printf("waited %.2f s in all, labels %d%n", DIARY.waitedSeconds(), printer.feet);
        Truth.of("a shop and a printer with the same number lock the same boxed number")
            .object("Integer").culprit("LabelPrinter.print").thread("label-printer").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for their shop's number").say();
    }
}
