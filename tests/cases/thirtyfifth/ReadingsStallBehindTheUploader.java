import com.meteo.pipe.Ring;
import com.meteo.pipe.Stage;
import com.meteo.store.Archive;
import java.util.concurrent.SynchronousQueue;

/**
 * Weather stations put readings into a ring (a monitor, wait and notifyAll); a stage smooths them (0.3
 * ms) and puts them into a second ring, from which another one checks them (0.2 ms) and hands them
 * over, through a SynchronousQueue, to an archive.
 *
 * Problem: the archive uploads each reading to a far server before it takes the next, Uploader.push,
 * 7.5 ms and more, where it needs 1.5 ms for its index. Truth: stations wait for the Ring because of
 * Uploader.push (or Uploader.awaitConfirmation, which all of that is in). Measured: the part of the
 * stations' waiting for room during which the archive uploads.
 */
final class ReadingsStallBehindTheUploader {
    static final Truth.Diary DIARY = new Truth.Diary();

    static double[] smoothed(double[] reading) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < 300_000) {
            reading[1] = (reading[0] + reading[2]) / 2;
        }
        return reading;
    }

    static double[] checked(double[] reading) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < 200_000) {
            reading[0] = Math.max(0, reading[0]);
        }
        return reading;
    }

    public static void main(String[] arguments) {
        Ring<double[]> raw = new Ring<>(6);
        Ring<double[]> smooth = new Ring<>(3);
        SynchronousQueue<double[]> handover = new SynchronousQueue<>();
        Archive archive = new Archive(DIARY::held);
        Truth.start("smoother", new Stage<>(raw, ReadingsStallBehindTheUploader::smoothed, smooth::put));
        Truth.start("checker", new Stage<>(smooth, ReadingsStallBehindTheUploader::checked, handover::put));
        Truth.repeat("archive", () -> archive.keep(handover.take()));
        DIARY.clients("station", 5, 12, () -> raw.put(new double[] {1, 2, 3}));
        Truth.repeat("station-health", () -> Thread.sleep(150));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the last of four stages waits for a far server").object("Ring").culprit("Uploader.push", "Uploader.awaitConfirmation")
            .thread("archive").victims("station-*").share(DIARY.share(0), "the stations' waiting for room").say();
    }
}
