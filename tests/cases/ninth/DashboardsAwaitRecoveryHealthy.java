import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A circuit breaker before a partner's service. While it is open calls fail at once and a probe looks three times a
 * second whether somebody listens again; four dashboards wait until it is closed, and show after each second that it
 * is not.
 *
 * Problem: none of this program's: the partner is away twice for half a second, and from the third second on for good.
 * Calls go on with what they have, and dashboards say so. Truth: healthy.
 */
final class DashboardsAwaitRecoveryHealthy {
    static final class Breaker {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition closed = lock.newCondition();
        private boolean open;

        void set(boolean nowOpen) {
            lock.lock();
            try {
                open = nowOpen;
                if (!nowOpen) {
                    closed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        boolean awaitClosed(long millis) throws InterruptedException {
            lock.lock();
            try {
                long left = TimeUnit.MILLISECONDS.toNanos(millis);
                while (open && left > 0) {
                    left = closed.awaitNanos(left);
                }
                return !open;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Probe {
        private final Breaker breaker;
        private volatile int port;

        Probe(Breaker breaker) {
            this.breaker = breaker;
        }

        void look() throws InterruptedException {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
                breaker.set(false);
            } catch (IOException exception) {
                breaker.set(true);
            }
            Thread.sleep(330);
        }
    }

    record Dashboard(Breaker breaker, AtomicInteger shown) {
        void show() throws InterruptedException {
            boolean up = breaker.awaitClosed(1000);
            shown.addAndGet(up ? 1 : -1);
            Thread.sleep(up ? 100 : 5);
        }
    }

    static void up(Probe probe, double seconds) throws IOException {
        try (ServerSocket partner = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            probe.port = partner.getLocalPort();
            Truth.sleep(seconds);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Breaker breaker = new Breaker();
        Probe probe = new Probe(breaker);
        AtomicInteger shown = new AtomicInteger();
        Truth.repeat("probe", probe::look);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("dashboard-" + i, new Dashboard(breaker, shown)::show);
        }
        up(probe, 0.8);
        Truth.sleep(0.6);
        up(probe, 0.8);
        Truth.sleep(0.6);
        up(probe, 0.4);
        Truth.sleep(seconds - 3.2);
        Truth.healthy("a partner is away, and dashboards say so every second").object().culprit().thread().victims()
            .noShare().say();
    }
}
