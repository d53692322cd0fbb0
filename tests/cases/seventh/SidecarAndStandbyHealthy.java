import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A service as most look that have little to do: `main` waits for the signal to stop; a thread waits for a
 * sidecar process to end, which it does not; another joins the thread that serves; a standby waits to
 * become the leader; and one request comes each 100 ms.
 *
 * Problem: none. All these wait for what shall not come. Truth: healthy. Measured: nothing.
 */
final class SidecarAndStandbyHealthy {
    /** As long as the sidecar lives, all is well. */
    static final class Sidecar implements Runnable {
        private final Process process;

        Sidecar() throws IOException {
            process = new ProcessBuilder("sleep", "60").start();
            process.getOutputStream().close();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "sidecar-end"));
        }

        @Override
        public void run() {
            try {
                process.waitFor();
                System.out.println("the sidecar has ended");
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Who is the first one leads; the others wait until it resigns. */
    static final class Leadership {
        private boolean taken;

        synchronized void acquire() throws InterruptedException {
            while (taken) {
                wait();
            }
            taken = true;
        }

        synchronized void resign() {
            taken = false;
            notifyAll();
        }
    }

    record Scheduler(Leadership leadership) implements Runnable {
        @Override
        public void run() {
            try {
                leadership.acquire();
                try {
                    lead();
                } finally {
                    leadership.resign();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void lead() throws InterruptedException {
            while (true) {
                Thread.sleep(200);
            }
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        CountDownLatch stop = new CountDownLatch(1);
        daemon(new Sidecar(), "sidecar");
        Leadership leadership = new Leadership();
        daemon(new Scheduler(leadership), "scheduler-a");
        daemon(new Scheduler(leadership), "scheduler-b");
        LinkedBlockingQueue<Integer> requests = new LinkedBlockingQueue<>();
        Truth.repeat("acceptor", () -> {
            Thread.sleep(100);
            requests.put(1);
        });
        Thread server = daemon(() -> {
            try {
                while (true) {
                    Thread.sleep(requests.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }, "server");
        daemon(() -> {
            try {
                server.join();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }, "server-watch");
        daemon(() -> {
            Truth.sleep(seconds);
            stop.countDown();
        }, "operator");
        stop.await();
        Truth.healthy("main, a standby and two watchers wait for what shall not come").object().culprit()
            .thread().victims().noShare().say();
        System.exit(0);
    }
}
