import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five upload threads have pictures made smaller by a pool of two, which runs an external tool for
 * each and takes its output. From the second second on, pictures are large.
 *
 * Problem: Converter.convert waits for the tool's end before it reads its output; a tool that writes
 * more than a pipe holds waits for its reader, and never ends. Truth: stuck; the uploads wait for
 * FutureTasks, the pool's threads in Process.waitFor. Measured: no share; HANG is said when all
 * wait.
 */
final class ToolOutputNotRead {
    static final class Converter {
        byte[] convert(int bytes) throws IOException, InterruptedException {
            Process tool = new ProcessBuilder("/bin/sh", "-c", "head -c " + bytes + " /dev/zero")
                .start();
            tool.getOutputStream().close();
            if (tool.waitFor() != 0) {
                throw new IOException("the tool ended with " + tool.exitValue());
            }
            return tool.getInputStream().readAllBytes();
        }
    }

    public static void main(String[] arguments) {
        Converter converter = new Converter();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger number = new AtomicInteger();
        ExecutorService conversions = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "convert-" + number.incrementAndGet());
            synchronized (threads) {
                threads.add(thread);
            }
            return thread;
        });
        long start = System.nanoTime();
        for (int i = 1; i <= 5; i++) {
            Random random = new Random(i);
            Thread thread = new Thread(() -> upload(conversions, converter, random, start),
                "upload-" + i);
            synchronized (threads) {
                threads.add(thread);
            }
            thread.start();
        }
        Truth.sayAndHalt(Truth.stuck("the tool's end is waited for before its output is read, so the "
            + "tool waits for room in the pipe for ever")
            .object("FutureTask", "Process", "ProcessImpl")
            .culprit("Converter.convert")
            .thread("convert-*").victims("upload-*", "convert-*").noShare(),
            Truth.seconds(arguments));
        Truth.sleep(1);
        Truth.hangsOnce(threads);
    }

    private static void upload(ExecutorService conversions, Converter converter, Random random,
            long start) {
        try {
            while (true) {
                Truth.sleep(0.05 + random.nextDouble() * 0.1);
                boolean large = System.nanoTime() - start > 2_000_000_000L;
                int bytes = large ? 300_000 : 1000 + random.nextInt(5000);
                conversions.submit(() -> converter.convert(bytes)).get();
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
