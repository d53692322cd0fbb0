import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A gate of its own making: while it is closed for maintenance, who comes parks until it is open.
 * The operator's open() sets the flag and wakes them all; the monitor of health, when it finds
 * the system well after the third maintenance, sets the same flag and wakes nobody.
 *
 * Problem: HealthCheck.recover opens without a wake-up. Truth: stuck; the jobs are parked at the
 * MaintenanceGate, which is open. Measured: no share; HANG is said when all jobs are parked
 * there.
 */
final class MaintenanceGate {
    private static final int JOBS = 9;

    private final Queue<Thread> parked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean open = true;

    public static void main(String[] arguments) {
        Truth.sayAndHalt(Truth.stuck("the health check opened the gate by its flag alone, and the "
            + "jobs parked there were never woken")
            .object("MaintenanceGate")
            .culprit("HealthCheck.recover", "HealthCheck.run", "MaintenanceGate.markOpen")
            .thread("health-*").victims("job-*").noShare(),
            Truth.seconds(arguments));
        MaintenanceGate gate = new MaintenanceGate();
        ScheduledExecutorService health = Executors.newScheduledThreadPool(1, work ->
            new Thread(work, "health-1"));
        for (int i = 1; i <= JOBS; i++) {
            Random random = new Random(i);
            new Thread(() -> work(gate, random), "job-" + i).start();
        }
        for (int i = 0; i < 3; i++) {
            Truth.sleep(0.4);
            gate.close();
            Truth.sleep(0.1);
            if (i == 2) {
                health.schedule(new HealthCheck(gate), 20, TimeUnit.MILLISECONDS);
            } else {
                gate.openUp();
            }
        }
        while (gate.parked.size() < JOBS) {
            Truth.sleep(0.1);
        }
        Truth.sleep(0.5);
        Truth.hangs();
    }

    private static void work(MaintenanceGate gate, Random random) {
        while (true) {
            gate.pass();
            Truth.sleep(0.005 + 0.03 * random.nextDouble());
            gate.leave();
        }
    }

    void pass() {
        if (!open) {
            parked.add(Thread.currentThread());
            if (!open) {
                parkHere();
            }
        }
        inside.incrementAndGet();
    }

    /** Leaves it to whoever opens to take us off the list. */
    private void parkHere() {
        while (parked.contains(Thread.currentThread())) {
            LockSupport.park(this);
        }
    }

    void leave() {
        inside.decrementAndGet();
    }

    void close() {
        open = false;
        // all of them shall be at the gate before it may be opened again
        while (parked.size() < JOBS) {
            Truth.sleep(0.01);
        }
    }

    void openUp() {
        markOpen();
        for (Thread job = parked.poll(); job != null; job = parked.poll()) {
            LockSupport.unpark(job);
        }
    }

    void markOpen() {
        open = true;
    }

    record HealthCheck(MaintenanceGate gate) implements Runnable {
        @Override
        public void run() {
            if (well()) {
                recover();
            }
        }

        private boolean well() {
            return gate.inside.get() < JOBS;
        }

        private void recover() {
            gate.markOpen();
        }
    }
}
