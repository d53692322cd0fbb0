import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six threads answer requests for parcels, for which they ask a pool "of up to 16 threads" for the place of
 * an address.
 *
 * Problem: the pool has a core of one thread and a queue without bounds, so that it never grows. Truth:
 * requests wait for their task, because the only worker is busy with Geocoder.locate for others. Measured:
 * the part of the waiting during which somebody was in locate.
 */
final class CoreOfOneNeverGrows {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Place(double latitude, double longitude) {
    }

    /** A service far away. */
    static final class Geocoder {
        Place locate(String address) throws InterruptedException {
            long from = System.nanoTime();
            Thread.sleep(9);
            DIARY.held(0, from, System.nanoTime());
            return new Place(address.hashCode() % 90, address.length());
        }
    }

    static final class Geocoding {
        private final AtomicInteger workers = new AtomicInteger();
        private final Geocoder geocoder = new Geocoder();
        private final ExecutorService pool = new ThreadPoolExecutor(1, 16, 30, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), work -> {
                Thread thread = new Thread(work, "geocoding-" + workers.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });

        Place placeOf(String address) throws InterruptedException, ExecutionException {
            long from = System.nanoTime();
            try {
                return pool.submit(() -> geocoder.locate(address)).get();
            } finally {
                DIARY.waited(from, System.nanoTime());
            }
        }
    }

    static final class ParcelApi {
        private final Geocoding geocoding;
        private int next;

        ParcelApi(Geocoding geocoding) {
            this.geocoding = geocoding;
        }

        void answer() throws InterruptedException, ExecutionException {
            Thread.sleep(12);
            geocoding.placeOf("Market street " + next++);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Geocoding geocoding = new Geocoding();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("parcels-http-" + i, new ParcelApi(geocoding)::answer);
        }
        Truth.sleep(seconds);
        Truth.of("a pool of up to 16 threads that stays at one")
            .object("FutureTask", "ThreadPoolExecutor", "LinkedBlockingQueue").culprit("Geocoder.locate")
            .thread("geocoding-*").victims("parcels-http-*")
            .share(DIARY.share(0), "the waiting for places").say();
    }
}
