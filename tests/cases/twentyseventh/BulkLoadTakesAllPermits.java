import java.util.concurrent.Semaphore;

/**
 * Six uploads may write at a time, of ten that there are: a Semaphore. An upload takes 5 ms.
 *
 * Problem: after two fifths of the time a bulk load takes all six permits at once, and needs them for the rest of the
 * day, that is, past the end: BulkLoad.load. Truth: uploads wait for the Semaphore because of BulkLoad.load, which
 * works on. They still wait in the end; this is no hang, but a wait that takes longer than any before.
 */
final class BulkLoadTakesAllPermits {
    record BulkLoad(Semaphore permits) {
        private long load() {
            long rows = 0;
            while (rows >= 0) {
                Truth.sleep(0.02);
                rows++;
            }
            return rows;
        }

        void run() {
            permits.acquireUninterruptibly(6);
            try {
                load();
            } finally {
                permits.release(6);
            }
        }
    }

    record Upload(Semaphore permits) implements Truth.Step {
        private void write() throws InterruptedException {
            permits.acquire();
            try {
                Truth.sleep(0.005);
            } finally {
                permits.release();
            }
        }

        @Override
        public void run() throws InterruptedException {
            write();
            Thread.sleep(6);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Semaphore permits = new Semaphore(6, true);
        for (int i = 1; i <= 10; i++) {
            Truth.repeat("upload-" + i, new Upload(permits));
        }
        Truth.sleep(seconds * 0.4);
        Truth.start("bulk-load", new BulkLoad(permits)::run);
        Truth.sleep(seconds * 0.6);
        Truth.of("a bulk load has all permits, and works on").object("Semaphore", "FairSync")
            .culprit("BulkLoad.load", "BulkLoad.run").thread("bulk-load").victims("upload-*").noShare().say();
    }
}
