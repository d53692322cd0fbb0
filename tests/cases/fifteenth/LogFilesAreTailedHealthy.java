import java.io.File;
import java.io.FileWriter;
import java.nio.file.Files;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.io.input.Tailer;
import org.apache.commons.io.input.TailerListenerAdapter;
import org.apache.commons.io.monitor.FileAlterationMonitor;
import org.apache.commons.io.monitor.FileAlterationObserver;

/**
 * Three tailers of Commons IO look every 50 ms for new lines in log files, which come every 100 to 300 ms, and hand them
 * to a shipper, who sends once he has five lines, or after 400 ms. A monitor looks for new files every half second.
 *
 * NEEDS: libcommons-io-java (commons-io.jar)
 *
 * Problem: none: everybody waits for lines. Truth: healthy. Measured: how many lines lie with the shipper at most.
 */
final class LogFilesAreTailedHealthy {
    static final class Lines extends TailerListenerAdapter {
        private final BlockingQueue<String> lines;

        Lines(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        @Override
        public void handle(String line) {
            lines.add(line);
        }
    }

    static final class Shipper {
        private final BlockingQueue<String> lines;
        private final AtomicInteger most = new AtomicInteger();

        Shipper(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        void ship() throws InterruptedException {
            long end = System.nanoTime() + 400_000_000L;
            most.accumulateAndGet(lines.size(), Math::max);
            for (int got = 0; got < 5 && System.nanoTime() < end;) {
                got += lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS) == null ? 0 : 1;
            }
            Thread.sleep(10);
        }
    }

    static void writeLine(File file, String line) throws Exception {
        try (FileWriter writer = new FileWriter(file, true)) {
            writer.write(line + "\n");
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        File folder = Files.createTempDirectory("logs").toFile();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        for (int i = 1; i <= 3; i++) {
            File file = new File(folder, "service-" + i + ".log");
            writeLine(file, "started");
            Thread tailer = new Thread(new Tailer(file, new Lines(lines), 50), "tailer-" + i);
            tailer.setDaemon(true);
            tailer.start();
            long pause = 100 * i;
            Truth.repeat("service-" + i, () -> {
                Thread.sleep(pause);
                writeLine(file, "answered in 48 ms");
            });
        }
        FileAlterationMonitor monitor = new FileAlterationMonitor(500, new FileAlterationObserver(folder));
        monitor.setThreadFactory(work -> {
            Thread thread = new Thread(work, "monitor");
            thread.setDaemon(true);
            return thread;
        });
        monitor.start();
        Shipper shipper = new Shipper(lines);
        Truth.repeat("shipper", shipper::ship);
        Truth.sleep(seconds);
        System.out.printf("at most %d lines%n", shipper.most.get());
        Truth.healthy("lines are shipped as they come").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
