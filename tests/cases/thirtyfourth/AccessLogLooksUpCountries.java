import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Six web threads put a line of the access log into a LinkedBlockingQueue of 200; one thread writes them. For the first
 * 45 % of the time the queue is nearly empty.
 *
 * Problem: then the countries of addresses are no longer known here, and GeoIp.country asks a server, 5 ms for each
 * line; the queue is full after half a second, and stays so. AccessFile.append takes 0.4 ms. Truth: web threads wait
 * for room in the queue because of GeoIp.country. Measured: the part of the waiting to put during which it is asked.
 */
final class AccessLogLooksUpCountries {
    static final Truth.Diary DIARY = new Truth.Diary();
    static volatile boolean cold;

    record Line(int address, String path) {
    }

    static final class GeoIp {
        int country(Line line) {
            if (!cold) {
                return line.address() % 100;
            }
            long from = System.nanoTime();
            Truth.sleep(0.005);
            DIARY.held(0, from, System.nanoTime());
            return line.address() % 50;
        }
    }

    static final class AccessFile {
        private long bytes;

        void append(Line line, int country) {
            long from = System.nanoTime();
            Truth.sleep(0.0004);
            bytes += line.path().length() + country;
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class AccessLog implements Truth.Step {
        private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>(200);
        private final GeoIp places = new GeoIp();
        private final AccessFile file = new AccessFile();

        void log(Line line) throws InterruptedException {
            long from = System.nanoTime();
            lines.put(line);
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() throws Exception {
            Line line = lines.take();
            file.append(line, places.country(line));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AccessLog log = new AccessLog();
        Truth.repeat("access-log", log);
        for (int i = 1; i <= 6; i++) {
            int own = i;
            Truth.repeat("web-" + i, () -> {
                Thread.sleep(5 + own);
                log.log(new Line(own * 1009, "/index.html"));
            });
        }
        Truth.start("geo-expiry", () -> {
            Truth.sleep(seconds * 0.45);
            cold = true;
        });
        DIARY.fill(seconds);
        Truth.of("who writes the access log asks a server for each line")
            .object("ConditionObject", "LinkedBlockingQueue").culprit("GeoIp.country").thread("access-log")
            .victims("web-*").share(DIARY.share(0), "the web threads' waiting for room").say();
    }
}
