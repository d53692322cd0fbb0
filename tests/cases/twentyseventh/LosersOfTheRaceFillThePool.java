import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Four downloads ask three mirrors for each block, and go on with whichever answers first: anyOf. The nearest mirror
 * answers within 6 ms. Six threads ask.
 *
 * Problem: nobody calls off the losers, and the far mirror, FarMirror.read, takes 90 ms for each block that nobody
 * wants any more; it takes the six threads, so that the nearest is asked late. Truth: downloads wait for a
 * CompletableFuture because of FarMirror.read. Measured: asking the three mirrors, evenly divided, within the
 * downloads' waiting.
 */
final class LosersOfTheRaceFillThePool {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Mirror {
        int read(int block);
    }

    static int from(int who, double seconds, int block) {
        long from = System.nanoTime();
        Truth.sleep(seconds);
        DIARY.held(who, from, System.nanoTime());
        return block * 31;
    }

    static final class NearMirror implements Mirror {
        @Override
        public int read(int block) {
            return from(1, 0.006, block);
        }
    }

    static final class SecondMirror implements Mirror {
        @Override
        public int read(int block) {
            return from(2, 0.012, block);
        }
    }

    static final class FarMirror implements Mirror {
        @Override
        public int read(int block) {
            return from(0, 0.09, block);
        }
    }

    record Download(List<Mirror> mirrors, ExecutorService pool, int[] block) implements Truth.Step {
        private Object fetch(int block) {
            return CompletableFuture.anyOf(mirrors.stream()
                .map(mirror -> CompletableFuture.supplyAsync(() -> mirror.read(block), pool))
                .toArray(CompletableFuture<?>[]::new)).join();
        }

        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            fetch(block[0]++);
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(15);
        }
    }

    public static void main(String[] arguments) {
        List<Mirror> mirrors = List.of(new FarMirror(), new NearMirror(), new SecondMirror());
        ExecutorService pool = Executors.newFixedThreadPool(6, work -> Truth.daemon("fetch", work));
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("download-" + i, new Download(mirrors, pool, new int[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("near %.3f second %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("reads that lost the race take the threads of those that should win").object("CompletableFuture",
            "Signaller").culprit("FarMirror.read").thread("fetch").victims("download-*")
            .share(DIARY.share(0), "the downloads' waiting for a block").say();
    }
}
