import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four tills redeem vouchers; an import thread adds new ones from files as they come, the last of which
 * comes after a second and a half.
 *
 * Problem: VoucherBook.issue takes the lock, reads the voucher's number, and only then begins its `try`. In
 * the last file there is a number that is none; the import thread logs that, waits for the next file, and
 * still owns the lock. Truth: stuck; the lock's owner rests at its queue. Measured: nothing else.
 */
final class ImportKeepsVoucherLock {
    static final class VoucherBook {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, Integer> cents = new HashMap<>();

        void issue(String text, int value) {
            lock.lock();
            int number = Integer.parseInt(text);
            try {
                cents.put(number, value);
            } finally {
                lock.unlock();
            }
        }

        int redeem(int number) {
            lock.lock();
            try {
                Integer value = cents.remove(number);
                return value == null ? 0 : value;
            } finally {
                lock.unlock();
            }
        }
    }

    record VoucherImport(VoucherBook book, BlockingQueue<String> files) implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    importFile(files.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void importFile(String file) {
            try {
                for (String number : file.split(",")) {
                    book.issue(number, 500);
                }
            } catch (NumberFormatException exception) {
                System.out.println("not a file of vouchers: " + exception.getMessage());
            }
        }
    }

    static final class Till implements Runnable {
        private final VoucherBook book;
        private int number;

        Till(VoucherBook book) {
            this.book = book;
        }

        @Override
        public void run() {
            while (true) {
                Truth.sleep(0.008);
                book.redeem(number++ % 1000);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        VoucherBook book = new VoucherBook();
        BlockingQueue<String> files = new LinkedBlockingQueue<>();
        Thread imports = new Thread(new VoucherImport(book, files), "voucher-import");
        imports.setDaemon(true);
        imports.start();
        List<Thread> tills = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Thread till = new Thread(new Till(book), "till-" + i);
            till.setDaemon(true);
            till.start();
            tills.add(till);
        }
        Truth.hangsOnce(tills);
        Truth.sayAndHalt(Truth.stuck("an exception between lock() and try keeps the lock for ever")
            .object("ReentrantLock").culprit("VoucherBook.issue", "VoucherImport.importFile")
            .thread("voucher-import").victims("till-*").noShare(), seconds);
        for (int i = 0; i < 15; i++) {
            files.put(i + ",17,23," + i * 13);
            Truth.sleep(0.1);
        }
        files.put("41,42,n/a,44");
        Thread.currentThread().join();
    }
}
