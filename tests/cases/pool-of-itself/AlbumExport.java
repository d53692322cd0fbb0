import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Web threads export albums on a media pool of three threads. An export has its pictures scaled
 * by the same pool and gives them 400 ms altogether; then it puts a placeholder. As soon as three
 * exports run at once they only wait for each other, until the time is over.
 *
 * Problem: Exporter.collect keeps a thread of the pool while it waits for the pool. Truth: the
 * web threads wait for FutureTasks because of it. Measured: the time in which the threads of the
 * pool were in collect, against that in which they did other work, within the web threads' waits.
 */
final class AlbumExport {
    private static final int COLLECTING = 0, WORKING = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();
    private static volatile boolean stopped;

    private final ThreadPoolExecutor media = new ThreadPoolExecutor(3, 3, 0, TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(), new NamedThreads("media-"));

    public static void main(String[] arguments) {
        AlbumExport service = new AlbumExport();
        ScheduledThreadPoolExecutor metrics =
            new ScheduledThreadPoolExecutor(1, new NamedThreads("metrics-"));
        metrics.scheduleAtFixedRate(service.media::getQueue, 250, 250, TimeUnit.MILLISECONDS);
        NamedThreads web = new NamedThreads("web-");
        for (int i = 0; i < 5; i++) {
            Random random = new Random(70 + i);
            web.newThread(() -> service.serve(random)).start();
        }
        Truth.run(arguments, () -> stopped = true, 0.6);
        Truth.of("exports hold the threads of the media pool while they wait for pictures that the "
            + "same pool must scale, until their time-out frees them")
            .object("FutureTask")
            .culprit("Exporter.collect", "Exporter.export", "Exporter.await")
            .thread("media-*").victims("web-*", "media-*")
            .share(DIARY.share(COLLECTING), "the web threads' waiting for exports").say();
    }

    private void serve(Random random) {
        while (!stopped) {
            Truth.sleep(0.02 * random.nextDouble());
            page(random.nextInt(40));
        }
    }

    private void page(int album) {
        long from = System.nanoTime();
        try {
            media.submit(new Exporter(album)).get();
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        }
        DIARY.waited(from, System.nanoTime());
    }

    final class Exporter implements Callable<Integer> {
        private final int album;

        Exporter(int album) {
            this.album = album;
        }

        @Override
        public Integer call() {
            return export(pictures());
        }

        private int pictures() {
            long from = System.nanoTime();
            Truth.sleep(0.008);
            DIARY.held(WORKING, from, System.nanoTime());
            return 2 + album % 2;
        }

        private int export(int count) {
            List<Future<byte[]>> scaled = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                scaled.add(media.submit(this::scale));
            }
            return collect(scaled);
        }

        private int collect(List<Future<byte[]>> scaled) {
            long from = System.nanoTime(), until = from + 400_000_000;
            int bytes = 0;
            for (Future<byte[]> picture : scaled) {
                bytes += await(picture, until - System.nanoTime()).length;
            }
            DIARY.held(COLLECTING, from, System.nanoTime());
            return bytes;
        }

        private byte[] await(Future<byte[]> picture, long nanos) {
            try {
                return picture.get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
            } catch (TimeoutException | CancellationException exception) {
                picture.cancel(false);
                return new byte[0];
            } catch (InterruptedException | ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }

        private byte[] scale() {
            long from = System.nanoTime();
            Truth.sleep(0.012);
            DIARY.held(WORKING, from, System.nanoTime());
            return new byte[100 + album];
        }
    }

    private static final class NamedThreads implements java.util.concurrent.ThreadFactory {
        private final AtomicInteger count = new AtomicInteger();
        private final String prefix;

        NamedThreads(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public Thread newThread(Runnable task) {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }
}
