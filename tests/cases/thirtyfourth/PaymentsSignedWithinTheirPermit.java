import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Thirty payments, virtual threads where the JDK has them, go to a gateway, six at a time (a Semaphore): each signs its
 * message, and sends it (Gateway.send, 8 ms).
 *
 * Problem: the key is in a device that signs one message at a time (a lock), KeyDevice.sign, 4 ms, so that permits are
 * kept by those who wait for it. Truth: payments wait for the Semaphore, and with a permit for the ReentrantLock,
 * because of KeyDevice.sign. Measured: the part of the waiting for a permit during which those with a
 * permit sign or wait to, evenly shared among permits.
 */
final class PaymentsSignedWithinTheirPermit {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class KeyDevice {
        private final ReentrantLock session = new ReentrantLock();
        private int signed;

        int sign(int message) {
            session.lock();
            try {
                Truth.sleep(0.004);
                return message ^ ++signed;
            } finally {
                session.unlock();
            }
        }
    }

    static final class Gateway {
        void send(int message) {
            long from = System.nanoTime();
            Truth.sleep(message == 0 ? 0.009 : 0.008);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Payments {
        private final Semaphore permits = new Semaphore(6);
        private final KeyDevice device = new KeyDevice();
        private final Gateway gateway = new Gateway();

        void pay(int amount) throws InterruptedException {
            long from = System.nanoTime();
            permits.acquire();
            long began = System.nanoTime();
            DIARY.waited(from, began);
            try {
                int signature = device.sign(amount);
                DIARY.held(0, began, System.nanoTime());
                gateway.send(signature);
            } finally {
                permits.release();
            }
        }
    }

    public static void main(String[] arguments) {
        Payments payments = new Payments();
        for (int i = 1; i <= 30; i++) {
            int amount = i;
            Truth.virtual("payment-" + i, () -> {
                while (true) {
                    try {
                        payments.pay(amount);
                    } catch (InterruptedException exception) {
                        return;
                    }
                    Truth.sleep(0.030 + 0.001 * amount);
                }
            });
        }
        Truth.repeat("settlement", () -> Thread.sleep(150));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("permits are kept by those who wait to sign").object("Semaphore", "NonfairSync", "ReentrantLock")
            .culprit("KeyDevice.sign").thread("payment-*").victims("payment-*")
            .share(DIARY.share(0), "the payments' waiting for a permit").say();
    }
}
