import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A supervisor has three child processes that run as long as it does: a thread for each waits for its end, another
 * reads what it prints, and all ends are also awaited together. A health check waits for each child's end for 300 ms,
 * and is content if that does not come. A probe runs a tool four times a second and waits for it.
 *
 * Problem: none: children are not meant to end, and the tool is quick. Truth: healthy. Measured: nothing.
 */
final class SupervisorOfChildrenHealthy {
    static final class Child {
        private final Process process;
        private final AtomicInteger read = new AtomicInteger();

        Child(String... command) throws IOException {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        }

        void awaitEnd() throws InterruptedException {
            System.out.println("ended with " + process.waitFor());
            Thread.sleep(3_600_000);
        }

        void pump() throws IOException, InterruptedException {
            InputStream output = process.getInputStream();
            if (output.read() < 0) {
                Thread.sleep(3_600_000);
            }
            read.incrementAndGet();
        }

        boolean isHealthy() throws InterruptedException {
            return !process.waitFor(300, TimeUnit.MILLISECONDS);
        }
    }

    static final class Supervisor {
        private final List<Child> children = new ArrayList<>();
        private final ConcurrentHashMap<Child, Boolean> health = new ConcurrentHashMap<>();

        void start(int number) throws IOException {
            Child child = new Child("/bin/sh", "-c", "while sleep 0.5; do echo alive; done");
            children.add(child);
            Truth.repeat("end-of-child-" + number, child::awaitEnd);
            Truth.repeat("output-of-child-" + number, child::pump);
        }

        void check() throws InterruptedException {
            for (Child child : children) {
                health.put(child, child.isHealthy());
            }
        }

        void awaitAll() throws InterruptedException {
            CompletableFuture.allOf(children.stream().map(child -> child.process.onExit())
                .toArray(CompletableFuture[]::new)).join();
            Thread.sleep(3_600_000);
        }

        void stop() {
            children.forEach(child -> child.process.destroyForcibly());
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Supervisor supervisor = new Supervisor();
        for (int number = 1; number <= 3; number++) {
            supervisor.start(number);
        }
        Truth.repeat("health", supervisor::check);
        Truth.repeat("all-ends", supervisor::awaitAll);
        AtomicInteger probes = new AtomicInteger();
        Truth.repeat("probe", () -> {
            if (new ProcessBuilder("/bin/true").start().waitFor() == 0) {
                probes.incrementAndGet();
            }
            Thread.sleep(250);
        });
        Truth.sleep(seconds);
        System.out.println(probes + " probes, healthy: " + supervisor.health.values());
        Truth.healthy("children run as long as their supervisor").object().culprit().thread().victims().noShare()
            .say();
        supervisor.stop();
        System.exit(0);
    }
}
