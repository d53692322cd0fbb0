import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Deflater;

/**
 * Events are collected into batches, and a batch that is full is compressed and sent on by the thread that filled it.
 *
 * Problem: it does so within the monitor into which all others want to add. Truth: ingesting threads wait for the
 * EventBatch because of EventBatch.pack. Measured: the part of their waiting during which a batch is packed.
 */
final class BatchIsPackedByWhoFillsIt {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Event(long time, String text) {
    }

    static final class EventBatch {
        private final List<Event> events = new ArrayList<>();
        private long sent;

        synchronized void add(Event event, long from) {
            long entered = System.nanoTime();
            DIARY.waited(from, entered);
            events.add(event);
            DIARY.held(1, entered, System.nanoTime());
            if (events.size() >= 300) {
                long began = System.nanoTime();
                sent += pack();
                events.clear();
                DIARY.held(0, began, System.nanoTime());
            }
        }

        private long pack() {
            Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
            byte[] out = new byte[1 << 16];
            long length = 0;
            for (Event event : events) {
                deflater.setInput((event.text() + event.time()).getBytes());
                while (!deflater.needsInput()) {
                    length += deflater.deflate(out);
                }
            }
            deflater.end();
            return length;
        }
    }

    static final class Names implements ThreadFactory {
        private final AtomicInteger last = new AtomicInteger();

        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "ingest-" + last.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        EventBatch batch = new EventBatch();
        ExecutorService pool = Executors.newFixedThreadPool(5, new Names());
        for (int i = 0; i < 5; i++) {
            pool.execute(() -> {
                try {
                    for (long n = 0; ; n++) {
                        Thread.sleep(2);
                        StringBuilder text = new StringBuilder("event ");
                        for (int word = 0; word < 1500; word++) {
                            text.append(Long.toHexString((n + word) * 0x9E3779B97F4A7C15L)).append(' ');
                        }
                        batch.add(new Event(n, text.toString()), System.nanoTime());
                    }
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        DIARY.fill(seconds);
        Truth.of("a full batch is compressed within the monitor that is needed to add").object("EventBatch")
            .culprit("EventBatch.pack", "EventBatch.add").thread("ingest-*").victims("ingest-*")
            .share(DIARY.share(0), "the waiting for the batch").say();
    }
}
