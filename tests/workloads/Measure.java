import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** What the workloads of the benchmark print: how often something happened, and what that cost. */
class Measure {
    /**
     * After `warmUp` seconds counts for `seconds`, then prints `pairs N wall_ns N cpu_ns N`; cpu is that
     * of the whole process.
     */
    static void pairs(long warmUp, long seconds, LongSupplier count) throws InterruptedException {
        Thread.sleep(warmUp * 1000);
        var system = (com.sun.management.OperatingSystemMXBean)
                ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long wall = System.nanoTime();
        long before = count.getAsLong();
        Thread.sleep(seconds * 1000);
        long done = count.getAsLong() - before;
        wall = System.nanoTime() - wall;
        cpu = system.getProcessCpuTime() - cpu;
        System.out.println("pairs " + done + " wall_ns " + wall + " cpu_ns " + cpu);
    }
}
