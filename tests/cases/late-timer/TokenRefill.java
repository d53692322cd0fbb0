import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Semaphore;

/**
 * A throttle: API threads take a token for each call; a TimerTask puts ten tokens back every 25
 * ms, which is plenty. Another task of the same java.util.Timer checks certificates every second
 * and waits 300 to 600 ms for the other side; meanwhile nobody gets tokens.
 *
 * Problem: CertificateCheck.handshake keeps the timer's thread. Truth: API threads wait for the
 * Semaphore because of it. Measured: when the timer's thread was in the check, and when not,
 * within the waits for tokens.
 */
class TokenRefill {
    static final Truth.Diary diary = new Truth.Diary();
    static volatile boolean stopped;

    final Semaphore tokens = new Semaphore(10);
    final Timer timer = new Timer("housekeeping", true);

    public static void main(String[] arguments) throws InterruptedException {
        TokenRefill throttle = new TokenRefill();
        throttle.timer.schedule(throttle.new Refill(), 25, 25);
        throttle.timer.schedule(new CertificateCheck(new Random(4)), 500, 700);
        Mailbox mailbox = new Mailbox();
        mailbox.start();
        Thread[] callers = new Thread[12];
        for (int i = 0; i < callers.length; i++) {
            callers[i] = new Thread(new ApiCaller(throttle, mailbox, i), "api-" + i);
            callers[i].start();
        }
        Truth.sleep(Truth.seconds(arguments));
        stopped = true;
        for (Thread caller : callers) {
            caller.join();
        }
        Truth.of("a certificate check blocks the timer's thread for half a second, and the tokens "
            + "that the timer should put back every 25 ms are missing")
            .object("Semaphore", "NonfairSync")
            .culprit("CertificateCheck.handshake", "CertificateCheck.check", "CertificateCheck.run")
            .thread("housekeeping").victims("api-*")
            .share(diary.share(0), "the API threads' waiting for tokens").say();
    }

    void takeToken() {
        long from = System.nanoTime();
        tokens.acquireUninterruptibly();
        diary.waited(from, System.nanoTime());
    }

    class Refill extends TimerTask {
        private long before = System.nanoTime();

        @Override
        public void run() {
            long now = System.nanoTime();
            diary.held(1, Math.max(before, CertificateCheck.done), now);
            int missing = 10 - tokens.availablePermits();
            tokens.release(Math.max(0, missing));
            before = now;
        }
    }

    static class CertificateCheck extends TimerTask {
        /** Written and read by the timer's thread only. */
        static long done;
        private final Random latency;

        CertificateCheck(Random latency) {
            this.latency = latency;
        }

        @Override
        public void run() {
            done = System.nanoTime();
            check("ldap", "mail", "bank");
            long from = done;
            done = System.nanoTime();
            diary.held(0, from, done);
        }

        private void check(String... hosts) {
            for (String host : hosts) {
                handshake(host, 100 + latency.nextInt(100));
            }
        }

        private void handshake(String host, int millis) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException exception) {
                throw new IllegalStateException("no certificate of " + host, exception);
            }
        }
    }

    record ApiCaller(TokenRefill throttle, Mailbox mailbox, int number) implements Runnable {
        @Override
        public void run() {
            Random random = new Random(number);
            while (!stopped) {
                call(random.nextDouble());
            }
        }

        private void call(double size) {
            throttle.takeToken();
            Truth.sleep(0.03 + 0.04 * size);
            mailbox.put("called " + number);
        }
    }

    /** Somebody who reads what comes in, under a monitor of its own. */
    static class Mailbox extends Thread {
        private final Deque<String> mails = new ArrayDeque<>();

        Mailbox() {
            super("mailbox");
            setDaemon(true);
        }

        synchronized void put(String mail) {
            mails.add(mail);
            notify();
        }

        private synchronized String take() throws InterruptedException {
            while (mails.isEmpty()) {
                wait();
            }
            return mails.remove();
        }

        @Override
        public void run() {
            try {
                while (!take().isEmpty()) {
                    Truth.sleep(0.0002);
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }
}
