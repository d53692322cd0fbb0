import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Random;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;

/**
 * A folder is watched; two or three files arrive in a second, by design. Four printers take them from
 * a deque, each file is printed in 20 ms, and forgotten after two seconds by way of a delay queue.
 *
 * Problem: none; who brings files is slower than who prints them, and nobody waits for a printer.
 * Truth: healthy. Measured: nothing.
 */
final class SpoolFolderHealthy {
    static final class Forget implements Delayed {
        private final long due = System.nanoTime() + 2_000_000_000L;
        private final Path file;

        Forget(Path file) {
            this.file = file;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Forget) other).due);
        }
    }

    private interface Turn {
        void take() throws IOException, InterruptedException;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("spool");
        WatchService watch = folder.getFileSystem().newWatchService();
        folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
        LinkedBlockingDeque<Path> jobs = new LinkedBlockingDeque<>();
        DelayQueue<Forget> printed = new DelayQueue<>();
        start("folder-watch", () -> {
            WatchKey key = watch.take();
            for (WatchEvent<?> event : key.pollEvents()) {
                jobs.add(folder.resolve((Path) event.context()));
            }
            key.reset();
        });
        for (int i = 1; i <= 4; i++) {
            start("printer-" + i, () -> {
                Path file = jobs.takeFirst();
                Truth.sleep(0.02);
                printed.add(new Forget(file));
            });
        }
        start("forgetter", () -> Files.deleteIfExists(printed.take().file));
        Random random = new Random(6);
        start("office", () -> {
            Truth.sleep(0.2 + random.nextDouble() * 0.4);
            Files.createTempFile(folder, "letter", ".ps");
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("files come seldom, and printers, watcher and forgetter wait for them")
            .object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }

    private static void start(String name, Turn turn) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    turn.take();
                }
            } catch (IOException | InterruptedException | ClosedWatchServiceException exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}
