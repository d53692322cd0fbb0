import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Logins (virtual threads where the JDK has them) draw a session's number from a random generator, which takes its
 * bytes from a device.
 *
 * Problem: TokenDevice.read takes 5 ms, and SecureRandom lets one thread at a time into a generator that does not say
 * it could serve several. Truth: logins wait for DeviceRandom because of TokenDevice.read. Measured: the part of their
 * time in nextBytes, less their own reading, during which the device is read.
 */
final class SessionIdsFromSlowDevice {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = new ThreadLocal<>();

    static final class TokenDevice extends SecureRandomSpi {
        private static final long serialVersionUID = 1;
        private long state = 88172645463325252L;

        @Override
        protected void engineSetSeed(byte[] seed) {
            state ^= seed.length;
        }

        @Override
        protected byte[] engineGenerateSeed(int count) {
            byte[] seed = new byte[count];
            engineNextBytes(seed);
            return seed;
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            DIARY.waited(ASKED.get(), System.nanoTime());
            read(bytes);
        }

        private void read(byte[] bytes) {
            long from = System.nanoTime();
            Truth.sleep(0.005);
            for (int i = 0; i < bytes.length; i++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
                bytes[i] = (byte) state;
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class DeviceRandom extends SecureRandom {
        private static final long serialVersionUID = 1;

        DeviceRandom() {
            super(new TokenDevice(), null);
        }
    }

    static final class Sessions {
        private final SecureRandom random = new DeviceRandom();

        String next() {
            byte[] bytes = new byte[18];
            ASKED.set(System.nanoTime());
            random.nextBytes(bytes);
            return Base64.getUrlEncoder().encodeToString(bytes);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Sessions sessions = new Sessions();
        AtomicInteger logins = new AtomicInteger();
        for (int i = 1; i <= 9; i++) {
            Truth.virtual("login-" + i, () -> {
                while (!sessions.next().isEmpty()) {
                    logins.incrementAndGet();
                    Truth.sleep(0.012);
                }
            });
        }
        Thread.sleep((long) (seconds * 1000));
        System.out.printf("waited %.2f s in all, %d logins%n", DIARY.waitedSeconds(), logins.get());
        Truth.of("random bytes come from a slow device, one thread at a time")
            .object("DeviceRandom").culprit("TokenDevice.read", "TokenDevice.engineNextBytes").thread("login-*")
            .victims("login-*").share(DIARY.share(0), "the logins' waiting for the generator").say();
    }
}
