import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gateway to an FTP server that admits six transfers at a time by a Semaphore. Eight transfer
 * threads upload and download files; who gets no permit within 300 ms gives up and tries later.
 *
 * Problem: if the server refuses an upload, FtpGateway.upload returns early and never gives its
 * permit back. After a second or so all six are lost, and every attempt ends by time-out, for
 * good.
 *
 * Truth: the Semaphore, the upload. Measured: permits from when to when; a lost one is held by
 * the upload until the end. Instants of waiting are shared evenly among the holders of permits.
 */
class FailedUploadLeaksPermit {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int LEAK = 0, USE = 1;

    public static void main(String[] args) {
        FtpGateway gateway = new FtpGateway();
        for (int i = 1; i <= 8; i++) {
            Thread thread = new Thread(new TransferWorker(gateway, i), "transfer-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread ticker = new Thread(() -> {
            while (true) {
                Truth.sleep(0.5);
            }
        }, "ticker");
        ticker.setDaemon(true);
        ticker.start();
        Truth.sleep(Truth.seconds(args));
        Truth.of("FtpGateway.upload never releases its permit when the server refuses the file; "
                + "soon all six permits are lost and every acquisition ends by time-out")
            .object("Semaphore")
            .culprit("FtpGateway.upload")
            .thread("transfer-*")
            .victims("transfer-*")
            .share(DIARY.share(LEAK), "the transfer threads' waiting for a permit")
            .say();
    }
}

class FtpGateway {
    private final Semaphore transfers = new Semaphore(6);
    private final AtomicInteger uploads = new AtomicInteger();

    boolean upload(byte[] file) throws InterruptedException {
        long since = admit();
        if (since == 0) {
            return false;
        }
        Thread.sleep(5 + file.length / 1000);
        if (uploads.incrementAndGet() % 12 == 0) {
            FailedUploadLeaksPermit.DIARY.held(FailedUploadLeaksPermit.LEAK, since,
                since + TimeUnit.HOURS.toNanos(1));
            return false; // "550 permission denied"
        }
        dismiss(since);
        return true;
    }

    byte[] download(int size) throws InterruptedException {
        long since = admit();
        if (since == 0) {
            return new byte[0];
        }
        try {
            Thread.sleep(4 + size / 1000);
            return new byte[size];
        } finally {
            dismiss(since);
        }
    }

    private long admit() throws InterruptedException {
        long asked = System.nanoTime();
        boolean admitted = transfers.tryAcquire(300, TimeUnit.MILLISECONDS);
        long got = System.nanoTime();
        FailedUploadLeaksPermit.DIARY.waited(asked, got);
        return admitted ? got : 0;
    }

    private void dismiss(long since) {
        FailedUploadLeaksPermit.DIARY.held(FailedUploadLeaksPermit.USE, since, System.nanoTime());
        transfers.release();
    }
}

class TransferWorker implements Runnable {
    private final FtpGateway gateway;
    private final Random random;

    TransferWorker(FtpGateway gateway, int seed) {
        this.gateway = gateway;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        try {
            while (true) {
                transferNext();
                Thread.sleep(10 + random.nextInt(20));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void transferNext() throws InterruptedException {
        if (random.nextBoolean()) {
            gateway.upload(new byte[random.nextInt(8000)]);
        } else {
            gateway.download(random.nextInt(8000));
        }
    }
}
