import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Work that is done in turns, so that JVMs can take turns: for each line on the standard input, a number of
 * seconds, some threads work for that long; then `work UNITS cpu_ns N` is printed, CPU of the whole process.
 */
class Turns {
    interface Work {
        /** Some units of work, and how many. */
        long some(int thread) throws Exception;
    }

    static volatile long until;

    static void take(int threads, Work work) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Object turn = new Object();
        AtomicLong units = new AtomicLong();
        CountDownLatch[] done = {null};
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> serve(turn, done, units, number, work), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null;) {
            long cpu = system.getProcessCpuTime();
            units.set(0);
            CountDownLatch end = new CountDownLatch(threads);
            synchronized (turn) {
                until = System.nanoTime() + (long) (Double.parseDouble(line) * 1e9);
                done[0] = end;
                turn.notifyAll();
            }
            end.await();
            System.out.println("work " + units + " cpu_ns " + (system.getProcessCpuTime() - cpu));
        }
    }

    private static void serve(Object turn, CountDownLatch[] done, AtomicLong units, int number, Work work) {
        CountDownLatch last = null;
        try {
            while (true) {
                synchronized (turn) {
                    while (done[0] == last) {
                        turn.wait();
                    }
                    last = done[0];
                }
                long n = 0;
                while (System.nanoTime() < until) {
                    n += work.some(number);
                }
                units.addAndGet(n);
                last.countDown();
            }
        } catch (Exception exception) {
            exception.printStackTrace();
            System.exit(1);
        }
    }
}
