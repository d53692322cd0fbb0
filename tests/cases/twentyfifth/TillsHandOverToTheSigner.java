import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;

/**
 * Seven tills hand each receipt over to one of two signers: transfer returns once a signer has taken it. Signing needs
 * the fiscal device, which is guarded by a StampedLock, for 2 ms; the receipt is printed (3 ms) without it.
 *
 * Problem: the device tests itself for 90 ms in every 220 ms; the day's totals are read from it, 35 ms in every 250
 * ms. Truth: tills wait to hand over because of SelfTest.probe, two steps away: whoever ends their waits is a signer.
 * Measured: probing, reading totals, signing and printing within the tills' waiting.
 */
final class TillsHandOverToTheSigner {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Device {
        private final StampedLock lock = new StampedLock();
        private long counter;

        <T> T exclusively(Supplier<T> work) {
            long stamp = lock.writeLock();
            try {
                counter++;
                return work.get();
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    record Receipt(String till, int cents) {
    }

    record Signer(Device device, TransferQueue<Receipt> counter) implements Truth.Step {
        private static void work(double seconds) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(2, from, System.nanoTime());
        }

        private String sign(Receipt receipt) {
            work(0.002);
            return receipt.till() + ":" + receipt.cents() * 31;
        }

        private void print(String signature) {
            work(signature.isEmpty() ? 0 : 0.003);
        }

        @Override
        public void run() throws InterruptedException {
            Receipt receipt = counter.take();
            print(device.exclusively(() -> sign(receipt)));
        }
    }

    record SelfTest(Device device) {
        boolean probe() {
            long from = System.nanoTime();
            Truth.sleep(0.09);
            DIARY.held(0, from, System.nanoTime());
            return true;
        }

        void run() {
            if (!device.exclusively(this::probe)) {
                throw new IllegalStateException("device is ill");
            }
        }
    }

    record Totals(Device device) {
        int read() {
            long from = System.nanoTime();
            Truth.sleep(0.035);
            DIARY.held(1, from, System.nanoTime());
            return 1;
        }

        int ofTheDay() {
            return device.exclusively(this::read);
        }
    }

    public static void main(String[] arguments) {
        Device device = new Device();
        TransferQueue<Receipt> counter = new LinkedTransferQueue<>();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("signer-" + i, new Signer(device, counter));
        }
        DIARY.clients("till", 7, 40, () -> counter.transfer(new Receipt("till", 499)));
        SelfTest test = new SelfTest(device);
        Truth.repeat("selftest", () -> {
            test.run();
            Thread.sleep(130);
        });
        Totals totals = new Totals(device);
        Truth.repeat("totals", () -> {
            totals.ofTheDay();
            Thread.sleep(215);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("others %.3f %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("the device that signs receipts tests itself while the signers need it")
            .object("LinkedTransferQueue", "DualNode", "Node").culprit("SelfTest.probe", "SelfTest.run")
            .thread("selftest").victims("till-*").share(DIARY.share(0), "the tills' waiting to hand over").say();
    }
}
