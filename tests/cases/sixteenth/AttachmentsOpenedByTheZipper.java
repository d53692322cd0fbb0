import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.zip.ParallelScatterZipCreator;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;

/**
 * Two exporters zip a file's notes and scans with Commons Compress, whose threads, three for each export, compress
 * several entries at once.
 *
 * NEEDS: libcommons-compress-java (commons-compress.jar)
 *
 * Problem: Scan.open, which the compressing thread calls, brings the scan from an archive, which takes 70 ms; a note
 * is at hand and compressed in some hundred microseconds. Truth: exporters wait for their entries' FutureTask because
 * of Scan.open. Measured: when any thread of the exporter opens a scan, within the exporter's writing.
 */
final class AttachmentsOpenedByTheZipper {
    static final AtomicInteger THREADS = new AtomicInteger();

    static final class Scan {
        private final Truth.Diary diary;

        Scan(Truth.Diary diary) {
            this.diary = diary;
        }

        InputStream open() {
            long from = System.nanoTime();
            Truth.sleep(0.07);
            diary.held(0, from, System.nanoTime());
            return new ByteArrayInputStream(new byte[6000]);
        }
    }

    static final class Note {
        InputStream open() {
            return new ByteArrayInputStream("seen and approved\n".repeat(50).getBytes());
        }
    }

    static final class Exporter {
        final Truth.Diary diary = new Truth.Diary();

        void export() throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(3, work -> {
                Thread thread = new Thread(work, "zip-" + THREADS.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
            ParallelScatterZipCreator creator = new ParallelScatterZipCreator(threads);
            for (int i = 0; i < 12; i++) {
                boolean isScan = i % 2 == 0;
                ZipArchiveEntry entry = new ZipArchiveEntry((isScan ? "scan-" : "note-") + i);
                entry.setMethod(ZipEntry.DEFLATED);
                creator.addArchiveEntry(entry, isScan ? new Scan(diary)::open : new Note()::open);
            }
            long from = System.nanoTime();
            try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(new SeekableInMemoryByteChannel())) {
                creator.writeTo(zip);
            }
            diary.waited(from, System.nanoTime());
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Exporter[] exporters = {new Exporter(), new Exporter()};
        Truth.repeat("export-1", exporters[0]::export);
        Truth.repeat("export-2", exporters[1]::export);
        Truth.sleep(seconds);
        double waited = 0, open = 0;
        for (Exporter exporter : exporters) {
            double its = exporter.diary.waitedSeconds();
            waited += its;
            open += exporter.diary.share(0) * its;
        }
        System.out.printf("waited %.2f s in all, of %d threads%n", waited, THREADS.get());
        Truth.of("scans are brought from the archive by the threads that compress").object("FutureTask")
            .culprit("Scan.open").thread("zip-*").victims("export-*").share(open / waited, "the exporters' writing")
            .say();
        System.exit(0);
    }
}
