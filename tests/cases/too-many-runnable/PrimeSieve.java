import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two threads count primes, each in blocks of its own, with nothing between them but a counter.
 * They run at full speed all the time and wait for nobody. Two more threads of the pool have
 * nothing to do.
 *
 * Problem: none; computing is what it is for. Truth: healthy. Measured: nothing.
 */
final class PrimeSieve {
    private static final int BLOCK = 1 << 16;

    private final AtomicInteger blocks = new AtomicInteger(1);
    private volatile boolean stopped;

    public static void main(String[] arguments) {
        PrimeSieve sieve = new PrimeSieve();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(4, work -> {
            Thread thread = new Thread(work, "sieve-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        pool.execute(sieve::work);
        pool.execute(sieve::work);
        pool.execute(() -> { });
        pool.execute(() -> { });
        Truth.sleep(Truth.seconds(arguments));
        sieve.stopped = true;
        Truth.healthy("two threads compute and wait for nothing; the rest of the pool is idle")
            .object().culprit().thread().victims().noShare().say();
    }

    private void work() {
        long primes = 0;
        while (!stopped && primes >= 0) {
            primes += countIn(blocks.getAndIncrement() % 1000);
        }
    }

    private static int countIn(int block) {
        boolean[] composite = new boolean[BLOCK];
        long first = (long) block * BLOCK;
        for (long factor = 2; factor * factor < first + BLOCK; factor++) {
            long begin = Math.max(factor * factor, (first + factor - 1) / factor * factor);
            for (long n = begin; n < first + BLOCK; n += factor) {
                composite[(int) (n - first)] = true;
            }
        }
        int primes = 0;
        for (boolean one : composite) {
            primes += one ? 0 : 1;
        }
        Arrays.fill(composite, false);
        return primes;
    }
}
