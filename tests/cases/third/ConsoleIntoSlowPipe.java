import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Random;

/**
 * Six jobs print what they do on one PrintStream, which leads into a pipe of 2 KiB. A shipper reads
 * the pipe and sends what it has read to where the logs are kept.
 *
 * Problem: LogShipper.ship takes 15 to 25 ms for what the jobs print in 5; so the job that prints
 * waits in the pipe for room, with the stream's lock, and all others for that lock. Truth: the
 * stream's lock or the pipe, the shipping, thread log-shipper. Measured: when the shipper shipped,
 * within the jobs' calls that took longer than 1 ms.
 */
final class ConsoleIntoSlowPipe {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class LogShipper {
        private final Random random = new Random(2);
        private long shipped;

        void work(InputStream pipe) {
            byte[] bytes = new byte[2048];
            try {
                for (int n = pipe.read(bytes); n >= 0; n = pipe.read(bytes)) {
                    long from = System.nanoTime();
                    ship(bytes, n);
                    DIARY.held(0, from, System.nanoTime());
                }
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }

        private void ship(byte[] bytes, int n) {
            Truth.sleep(0.015 + random.nextDouble() * 0.01);
            shipped += bytes.length - n;
        }
    }

    public static void main(String[] arguments) throws IOException {
        PipedInputStream pipe = new PipedInputStream(2048);
        PrintStream console = new PrintStream(new PipedOutputStream(pipe), true);
        LogShipper shipper = new LogShipper();
        Truth.start("log-shipper", () -> shipper.work(pipe));
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.start("job-" + i, () -> work(console, random));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the reader of the console's pipe is slow, so whoever prints waits in the pipe, and "
            + "the others for the lock of the stream")
            .object("PrintStream", "InternalLock", "PipedInputStream")
            .culprit("LogShipper.ship", "LogShipper.work")
            .thread("log-shipper").victims("job-*")
            .share(DIARY.share(0), "the jobs' printing").say();
        System.exit(0);
    }

    private static void work(PrintStream console, Random random) {
        String line = "x".repeat(150);
        while (true) {
            Truth.sleep(0.001 + random.nextDouble() * 0.002);
            long from = System.nanoTime();
            console.println(random.nextInt() + line);
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
        }
    }
}
