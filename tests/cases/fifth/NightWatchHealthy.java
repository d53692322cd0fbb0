import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server at night: a heartbeat each 200 ms, four handlers at a hand-over without calls, a monitor that
 * waits for a second at a time, main at a latch for the end.
 *
 * Problem: none; nothing is to be done. Truth: healthy. Measured: nothing.
 */
final class NightWatchHealthy {
    public static void main(String[] arguments) throws InterruptedException {
        ScheduledExecutorService heart = Executors.newScheduledThreadPool(1, work -> daemon(work, "heart"));
        heart.scheduleAtFixedRate(() -> Truth.sleep(0.001), 0, 200, TimeUnit.MILLISECONDS);
        SynchronousQueue<Runnable> calls = new SynchronousQueue<>();
        for (int i = 1; i <= 4; i++) {
            daemon(() -> {
                try {
                    while (true) {
                        calls.take().run();
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }, "handler-" + i).start();
        }
        Object signal = new Object();
        daemon(() -> {
            synchronized (signal) {
                try {
                    while (true) {
                        signal.wait(1000);
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            }
        }, "watch").start();
        CountDownLatch end = new CountDownLatch(1);
        daemon(() -> {
            Truth.sleep(Truth.seconds(arguments));
            Truth.healthy("a server without calls").object().culprit().thread().victims().noShare().say();
            end.countDown();
        }, "end").start();
        end.await();
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }
}
