import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler of two threads gives a permit to pace each of three samplers every 50 ms, and cleans up every 200 ms, 3
 * ms; a Timer notifies a display every 100 ms; a pool of four with CallerRunsPolicy, never full, answers two clients.
 *
 * Problem: none; all is in time. Truth: healthy.
 */
final class TicksAreInTimeHealthy {
    public static void main(String[] arguments) {
        Semaphore ticks = new Semaphore(0);
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, work -> Truth.daemon("clock", work));
        clock.scheduleAtFixedRate(() -> ticks.release(3), 50, 50, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(() -> Truth.sleep(0.003), 200, 200, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("sampler-" + i, () -> {
                ticks.acquire();
                Truth.sleep(0.001);
            });
        }
        Object frame = new Object();
        new Timer("frames", true).schedule(new TimerTask() {
            @Override
            public void run() {
                synchronized (frame) {
                    frame.notifyAll();
                }
            }
        }, 100, 100);
        Truth.repeat("display", () -> {
            synchronized (frame) {
                frame.wait();
            }
            Truth.sleep(0.004);
        });
        ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(16),
            work -> Truth.daemon("answers", work), new ThreadPoolExecutor.CallerRunsPolicy());
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("client-" + i, () -> {
                CompletableFuture.runAsync(() -> Truth.sleep(0.002), pool).join();
                Thread.sleep(35);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("everything happens when it is due").say();
    }
}
