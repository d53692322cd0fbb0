import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;

/**
 * Five requests have pictures made by two workers: most are previews, which are made in the JVM within 8 ms.
 *
 * NEEDS: libcommons-exec-java (commons-exec.jar)
 *
 * Problem: a designer has three brochures made twice a second, for which Pictures.convert starts a tool as a process
 * of its own, by Commons Exec, and waits until it ends (120 ms). Both workers are then waiting for processes, and
 * previews are behind them. Truth: requests wait for their FutureTask because of Pictures.convert. Measured:
 * conversions and previews within the requests' waiting, evenly divided among those at work.
 */
final class BrochuresConvertedByATool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Pictures {
        private final AtomicInteger made = new AtomicInteger();

        int convert(String brochure) throws IOException {
            long from = System.nanoTime();
            DefaultExecutor tool = new DefaultExecutor();
            int status = tool.execute(CommandLine.parse("sleep 0.12"));
            DIARY.held(0, from, System.nanoTime());
            return made.incrementAndGet() + status + brochure.length();
        }

        int preview(String page) {
            long from = System.nanoTime();
            Truth.sleep(0.008);
            DIARY.held(1, from, System.nanoTime());
            return made.incrementAndGet() + page.length();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Pictures pictures = new Pictures();
        AtomicInteger number = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(2, work ->
            Truth.daemon("picture-worker-" + number.incrementAndGet(), work));
        for (int i = 1; i <= 5; i++) {
            String page = "page" + i;
            Truth.repeat("request-" + i, () -> {
                long from = System.nanoTime();
                workers.submit(() -> pictures.preview(page)).get();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(30);
            });
        }
        Truth.repeat("designer", () -> {
            for (int i = 0; i < 3; i++) {
                workers.submit(() -> pictures.convert("spring"));
            }
            Thread.sleep(500);
        });
        Truth.sleep(seconds);
        System.out.printf("%d made, waited %.2f s%n", pictures.made.get(), DIARY.waitedSeconds());
        Truth.of("both workers wait for a tool's process").object("FutureTask").culprit("Pictures.convert")
            .thread("picture-worker-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for their pictures").say();
        Runtime.getRuntime().halt(0);
    }
}
