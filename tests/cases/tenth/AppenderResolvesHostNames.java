import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Requests (virtual threads where the JDK has them) log through a bounded queue; one thread formats the lines and
 * writes them to a file.
 *
 * Problem: a line's host is looked up by the thread that writes, 9 ms for each of whom is not known yet, and addresses
 * are forgotten after forty. Truth: requests wait for room in the LinkedBlockingQueue because of HostNames.resolve.
 * Measured: the part of their waiting during which it resolves.
 */
final class AppenderResolvesHostNames {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Line(String host, String text) {
    }

    static class HostNames {
        private final Map<String, String> known = new HashMap<>();

        String nameOf(String address) {
            if (known.size() > 40) {
                known.clear();
            }
            return known.computeIfAbsent(address, this::resolve);
        }

        private String resolve(String address) {
            long from = System.nanoTime();
            try {
                Thread.sleep(9);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            DIARY.held(0, from, System.nanoTime());
            return "host-" + address.replace('.', '-') + ".example";
        }
    }

    static class AsyncAppender {
        private final BlockingQueue<Line> queue = new LinkedBlockingQueue<>(64);
        private final HostNames names = new HostNames();
        private final BufferedWriter file;

        AsyncAppender(Path path) throws IOException {
            file = Files.newBufferedWriter(path);
            Thread writer = new Thread(this::drain, "log-writer");
            writer.setDaemon(true);
            writer.start();
        }

        void log(String host, String text) {
            long from = System.nanoTime();
            try {
                queue.put(new Line(host, text));
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            DIARY.waited(from, System.nanoTime());
        }

        private void drain() {
            try {
                while (true) {
                    write(queue.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }

        private void write(Line line) throws IOException {
            String host = names.nameOf(line.host());
            long from = System.nanoTime();
            file.write(host + ' ' + line.text() + '\n');
            file.flush();
            DIARY.held(1, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Path path = Files.createTempFile("access", ".log");
        path.toFile().deleteOnExit();
        AsyncAppender appender = new AsyncAppender(path);
        for (int i = 1; i <= 12; i++) {
            int client = i;
            Truth.virtual("request-" + i, () -> {
                for (int n = 0; n >= 0; n++) {
                    String host = "10.0." + client + '.' + n / 5 % 250;
                    appender.log(host, "GET /stock/" + n);
                    Truth.sleep(0.004);
                    appender.log(host, "200 " + n % 3000);
                }
            });
        }
        DIARY.fill(seconds);
        Truth.of("the thread that writes the log looks up host names, and its queue is full")
            .object("LinkedBlockingQueue", "ConditionObject").culprit("HostNames.resolve").thread("log-writer")
            .victims("request-*").share(DIARY.share(0), "the requests' waiting for room").say();
    }
}
