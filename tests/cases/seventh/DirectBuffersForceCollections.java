import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four threads take uploads into direct buffers, a new one for each part; four others search in half a
 * million documents in memory.
 *
 * FLAGS: -XX:+UseSerialGC -XX:MaxDirectMemorySize=16m -Xmx400m -Xms400m
 *
 * Problem: UploadParts.receive allocates a direct buffer of 256 kB each time and leaves it to the garbage
 * collector. The heap has room enough, so nothing is collected until the 16 MB of direct memory are
 * used up; then the JDK itself calls System.gc(), and everybody stops. Truth: the stops are for
 * System.gc(), asked for by ByteBuffer.allocateDirect. Measured: collections beside buffers.
 */
final class DirectBuffersForceCollections {
    record Document(int number, String title) {
    }

    static final class Library {
        private final List<Document> documents = new ArrayList<>();

        Library() {
            for (int i = 0; i < 500_000; i++) {
                documents.add(new Document(i, "document " + i));
            }
        }

        Document find(int number) {
            return documents.get(number % documents.size());
        }
    }

    static final class UploadParts {
        static final AtomicInteger BUFFERS = new AtomicInteger();

        long receive(int part) throws InterruptedException {
            ByteBuffer buffer = ByteBuffer.allocateDirect(256 * 1024);
            BUFFERS.incrementAndGet();
            Thread.sleep(20);
            buffer.putInt(part);
            return checksum(buffer);
        }

        private long checksum(ByteBuffer buffer) {
            long sum = 0;
            for (int i = 0; i < buffer.capacity(); i += 512) {
                sum = sum * 31 + buffer.get(i);
            }
            return sum;
        }
    }

    static final class SearchApi {
        private final Library library;
        private int next;

        SearchApi(Library library) {
            this.library = library;
        }

        void answer() throws InterruptedException {
            Thread.sleep(8);
            next = (next + 7919) % 1_000_000;
            library.find(next);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Library library = new Library();
        UploadParts parts = new UploadParts();
        for (int i = 1; i <= 4; i++) {
            int part = i;
            Truth.repeat("upload-" + i, () -> parts.receive(part));
            Truth.repeat("search-" + i, new SearchApi(library)::answer);
        }
        Truth.sleep(seconds);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.println(collector.getName() + ": " + collector.getCollectionCount() + " in "
                + collector.getCollectionTime() + " ms; " + UploadParts.BUFFERS.get() + " buffers");
        }
        Truth.of("direct buffers are used up, so that the JDK calls System.gc()").object()
            .culprit("UploadParts.receive").thread("upload-*").victims().noShare().say();
    }
}
