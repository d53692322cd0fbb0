import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A server with a thread for each request, a virtual one where the JDK has them: some 60 a second, each of which reads
 * 6 ms, takes one of eight permits, counts under a lock, and leaves a record in a queue of 64 for an audit that takes
 * 0.2 ms for each.
 *
 * Problem: none. Truth: healthy.
 */
final class VirtualDeskAtEaseHealthy {
    public static void main(String[] arguments) {
        BlockingQueue<Integer> audit = new LinkedBlockingQueue<>(64);
        Semaphore permits = new Semaphore(8);
        ReentrantLock lock = new ReentrantLock();
        int[] count = {0};
        long[] sum = {0};
        Truth.repeat("audit", () -> {
            sum[0] += audit.take();
            Truth.sleep(0.0002);
        });
        for (int i = 0; i < 4; i++) {
            Truth.repeat("acceptor-" + i, () -> {
                Truth.virtual("request", () -> {
                    try {
                        permits.acquire();
                        try {
                            Thread.sleep(6);
                        } finally {
                            permits.release();
                        }
                        lock.lock();
                        try {
                            count[0]++;
                        } finally {
                            lock.unlock();
                        }
                        audit.put(1);
                    } catch (InterruptedException exception) {
                        Thread.currentThread().interrupt();
                    }
                });
                Thread.sleep(66);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("there is room for everybody").say();
    }
}
