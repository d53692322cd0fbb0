import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Attachments of mails are checked by an external program. Seven receivers first ask a scanner
 * whether the attachment is known to be clean (quick); one in ten is not known and must be
 * scanned.
 *
 * Problem: VirusScanner.scan starts the external program and waits for its end (100 ms) inside of
 * the synchronized block that guards the list of known attachments.
 *
 * Truth: the lock object, a plain Object, and the scan. Measured: when scans and when quick
 * questions held the monitor, and the waits of the receivers for it.
 */
class ScannerWaitsForProcessInMonitor {
    private static final int RECEIVERS = 7;

    public static void main(String[] args) throws InterruptedException {
        VirusScanner scanner = new VirusScanner();
        long end = System.nanoTime() + (long) (Truth.seconds(args) * 1e9);
        Thread[] receivers = new Thread[RECEIVERS];
        for (int i = 0; i < RECEIVERS; i++) {
            Random random = new Random(i + 1);
            receivers[i] = new Thread(() -> {
                while (System.nanoTime() < end) {
                    receive(scanner, random.nextInt(1_000_000), random.nextInt(10) == 0);
                    Truth.sleep((8 + random.nextInt(25)) / 1e3);
                }
            }, "receiver-" + i);
            receivers[i].start();
        }
        for (Thread receiver : receivers) {
            receiver.join();
        }
        Truth.of("VirusScanner.scan waits for an external process while it holds the monitor that "
                + "everybody needs to ask whether an attachment is known")
            .object("Object")
            .culprit("VirusScanner.scan", "VirusScanner.runProgram")
            .thread("receiver-*")
            .victims("receiver-*")
            .share(scanner.diary.share(0), "the receivers' waiting for the scanner's monitor")
            .say();
    }

    private static void receive(VirusScanner scanner, int attachment, boolean suspicious) {
        if (!scanner.known(attachment) && suspicious) {
            scanner.scan(attachment);
        }
    }
}

class VirusScanner {
    final Truth.Diary diary = new Truth.Diary();
    private final Object mutex = new Object();
    private final java.util.Set<Integer> clean = new java.util.HashSet<>();

    boolean known(int attachment) {
        return guarded(1, () -> clean.contains(attachment));
    }

    boolean scan(int attachment) {
        return guarded(0, () -> runProgram(attachment) && clean.add(attachment));
    }

    private boolean runProgram(int attachment) {
        try {
            return new ProcessBuilder("sleep", attachment % 2 == 0 ? "0.08" : "0.12").start()
                .waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <T> T guarded(int what, Supplier<T> action) {
        long asked = System.nanoTime();
        synchronized (mutex) {
            long got = System.nanoTime();
            diary.waited(asked, got);
            try {
                return action.get();
            } finally {
                diary.held(what, got, System.nanoTime());
            }
        }
    }
}
