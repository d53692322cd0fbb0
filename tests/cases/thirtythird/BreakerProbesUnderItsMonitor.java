import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Calls to a rating service go through a circuit breaker made at home: synchronized, closed as long as calls are
 * answered, open for 40 ms otherwise. Eight offers ask, and go on without a rating if it is open.
 *
 * Problem: when it was open for long enough, the next caller tries the service with the monitor in hand, Probe.ping,
 * 26 ms; the service is down half of the time. What is counted of each call (Window.roll) takes 0.4 ms, also with the
 * monitor. Truth: offers wait for the Breaker's monitor because of Probe.ping. Measured: the part of the waiting to
 * enter during which somebody pings.
 */
final class BreakerProbesUnderItsMonitor {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Probe {
        boolean ping();
    }

    static final class RemoteProbe implements Probe {
        @Override
        public boolean ping() {
            long from = System.nanoTime();
            Truth.sleep(0.026);
            DIARY.held(0, from, System.nanoTime());
            return System.nanoTime() / 500_000_000 % 2 == 0;
        }
    }

    static final class Window {
        private final int[] slots = new int[60];

        int roll(boolean good) {
            long from = System.nanoTime();
            for (int i = 0; i < slots.length - 1; i++) {
                slots[i] = slots[i + 1];
            }
            slots[slots.length - 1] = good ? 1 : 0;
            Truth.sleep(0.0004);
            DIARY.held(1, from, System.nanoTime());
            return slots[0];
        }
    }

    static final class Breaker {
        private final Window window = new Window();
        private final Probe probe;
        private long openUntil;
        private boolean open;

        Breaker(Probe probe) {
            this.probe = probe;
        }

        <T> T call(Callable<T> call, T otherwise) throws Exception {
            long from = System.nanoTime();
            if (!allows(from)) {
                return otherwise;
            }
            boolean good = false;
            try {
                T value = call.call();
                good = true;
                return value;
            } finally {
                note(good);
            }
        }

        private synchronized boolean allows(long from) {
            DIARY.waited(from, System.nanoTime());
            if (open && System.nanoTime() > openUntil) {
                open = !probe.ping();
                openUntil = System.nanoTime() + 40_000_000;
            }
            return !open;
        }

        private void note(boolean good) {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                window.roll(good);
                if (!good) {
                    open = true;
                    openUntil = System.nanoTime() + 40_000_000;
                }
            }
        }
    }

    static int rating() {
        Truth.sleep(0.003);
        if (System.nanoTime() / 500_000_000 % 2 != 0) {
            throw new IllegalStateException("down");
        }
        return ThreadLocalRandom.current().nextInt(10);
    }

    public static void main(String[] arguments) {
        Breaker breaker = new Breaker(new RemoteProbe());
        ExecutorService mails = Executors.newFixedThreadPool(2, work -> Truth.daemon("mail", work));
        Truth.repeat("newsletter", () -> {
            CompletableFuture.runAsync(() -> Truth.sleep(0.002), mails);
            Thread.sleep(35);
        });
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("offer-" + i, () -> {
                try {
                    breaker.call(BreakerProbesUnderItsMonitor::rating, 5);
                } catch (IllegalStateException exception) {
                    Thread.sleep(1);
                }
                Thread.sleep(13);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a breaker tries the service with its monitor in hand").object("Breaker")
            .culprit("RemoteProbe.ping", "Probe.ping").thread("offer-*").victims("offer-*")
            .share(DIARY.share(0), "the waiting for the breaker").say();
    }
}
