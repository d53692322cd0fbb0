import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;

/**
 * One java.util.Timer flushes what sessions have written, every 10 ms, and purges old files once a
 * second, which takes 400 ms. A session waits until its data is flushed.
 *
 * Problem: FilePurge.run keeps the only timer's thread. Truth: sessions wait for their flush. Measured:
 * nothing but that.
 */
final class PurgeOnTheOnlyTimer {
    static volatile CompletableFuture<Void> flush = new CompletableFuture<>();

    static final class Flush extends TimerTask {
        @Override
        public void run() {
            CompletableFuture<Void> done = flush;
            flush = new CompletableFuture<>();
            done.complete(null);
        }
    }

    static final class FilePurge extends TimerTask {
        @Override
        public void run() {
            for (int i = 0; i < 40; i++) {
                deleteOld(i);
            }
        }

        private void deleteOld(int folder) {
            Truth.sleep(0.01);
        }
    }

    static final class Session {
        void write() {
            flush.join();
        }
    }

    public static void main(String[] arguments) {
        Timer timer = new Timer("housekeeping", true);
        timer.schedule(new Flush(), 10, 10);
        timer.schedule(new FilePurge(), 300, 700);
        for (int i = 1; i <= 8; i++) {
            Session session = new Session();
            Truth.repeat("session-" + i, () -> {
                session.write();
                Truth.sleep(0.002);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("purging files keeps the timer's only thread from flushing")
            .object("CompletableFuture", "Signaller").culprit("FilePurge.run", "FilePurge.deleteOld")
            .thread("housekeeping").victims("session-*").noShare().say();
    }
}
