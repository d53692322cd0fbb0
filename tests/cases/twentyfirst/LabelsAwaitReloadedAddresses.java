import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Four packing desks have three labels made at a time, each in a thread of its own (a virtual one where the JDK has
 * them) by invokeAll. A label needs an address, which is looked up under the address book's lock within 0.1 ms.
 *
 * Problem: twice a second AddressBook.reload reads all addresses anew, for 160 ms, and has the lock meanwhile. Truth:
 * desks wait for their FutureTask because of AddressBook.reload (the labels wait for its ReentrantLock). Measured: the
 * reload within the desks' waiting, which else is for looking up and drawing.
 */
final class LabelsAwaitReloadedAddresses {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class AddressBook {
        private final ReentrantLock lock = new ReentrantLock();
        private int addresses = 1000;

        int call(int customer) {
            lock.lock();
            try {
                return addresses + customer;
            } finally {
                lock.unlock();
            }
        }

        void reload() {
            lock.lock();
            long from = System.nanoTime();
            try {
                for (int page = 0; page < 16; page++) {
                    Truth.sleep(0.01);
                    addresses++;
                }
            } finally {
                DIARY.held(0, from, System.nanoTime());
                lock.unlock();
            }
        }
    }

    record Label(AddressBook book, int customer) implements Callable<Integer> {
        @Override
        public Integer call() {
            int address = book.call(customer);
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return address;
        }
    }

    static ExecutorService threads() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException exception) {
            AtomicInteger number = new AtomicInteger();
            return Executors.newCachedThreadPool(work -> Truth.daemon("label-" + number.incrementAndGet(), work));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AddressBook book = new AddressBook();
        ExecutorService threads = threads();
        AtomicInteger packed = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("desk-" + i, () -> {
                List<Label> labels = new ArrayList<>();
                for (int label = 0; label < 3; label++) {
                    labels.add(new Label(book, packed.incrementAndGet()));
                }
                long from = System.nanoTime();
                for (Future<Integer> label : threads.invokeAll(labels)) {
                    label.get();
                }
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(20);
            });
        }
        Truth.repeat("addresses", () -> {
            book.reload();
            Thread.sleep(340);
        });
        Truth.sleep(seconds);
        System.out.printf("%d packed, waited %.2f s%n", packed.get(), DIARY.waitedSeconds());
        Truth.of("all addresses are read anew under the lock that labels need")
            .object("FutureTask", "ThreadBoundFuture", "ReentrantLock").culprit("AddressBook.reload")
            .thread("addresses")
            .victims("desk-*", "label-*", "(virtual)").share(DIARY.share(0), "the waiting for labels").say();
        Runtime.getRuntime().halt(0);
    }
}
