import java.util.concurrent.SynchronousQueue;

/**
 * Eight uploaders hand their files over to two packers, one to one, through a queue that has no room and
 * is not fair. Packing takes 90 ms.
 *
 * Problem: two packers are too few for Packer.compress, and the queue serves who came last first. Truth:
 * most uploaders wait for good, while others are served. Measured: nothing but that.
 */
final class UploadsPassOverTheOldest {
    static final class Dock {
        private final SynchronousQueue<byte[]> files = new SynchronousQueue<>();

        void hand(byte[] file) throws InterruptedException {
            files.put(file);
        }

        byte[] take() throws InterruptedException {
            return files.take();
        }
    }

    record Packer(Dock dock) {
        void pack() throws InterruptedException {
            compress(dock.take());
        }

        private int compress(byte[] file) throws InterruptedException {
            Thread.sleep(90);
            return file.length;
        }
    }

    record Uploader(Dock dock) {
        void upload() throws InterruptedException {
            Thread.sleep(20);
            dock.hand(new byte[16]);
        }
    }

    public static void main(String[] arguments) {
        Dock dock = new Dock();
        for (int i = 0; i < 2; i++) {
            Truth.repeat("packer-" + i, new Packer(dock)::pack);
        }
        for (int i = 0; i < 8; i++) {
            Truth.repeat("uploader-" + i, new Uploader(dock)::upload);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("two packers are too few, and the oldest upload is passed over")
            .object("SynchronousQueue", "TransferStack", "Transferer")
            .culprit("Packer.compress", "Packer.pack").thread("packer-*").victims("uploader-*")
            .noShare().say();
    }
}
