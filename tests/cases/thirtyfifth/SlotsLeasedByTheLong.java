import java.util.concurrent.locks.AbstractQueuedLongSynchronizer;
import java.util.function.IntUnaryOperator;

/**
 * A picture service leases its memory, 64 MB, by a synchronizer of its own (an
 * AbstractQueuedLongSynchronizer that counts free bytes): each picture needs 16 MB, given back by the
 * helper that runs the work. Six thumbnails take 3 ms; three scouts only ask whether there is memory.
 *
 * Problem: three panoramas are stitched with a lease in hand, Panorama.stitch, 32 ms. Truth:
 * thumbnails wait for the memory (MemoryBudget's Sync) because of Panorama.stitch. Measured: the part
 * of the thumbnails' waiting during which panoramas have leases, evenly shared with thumbnails.
 */
final class SlotsLeasedByTheLong {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final long PICTURE = 16L << 20;

    static final class MemoryBudget {
        private static final class Sync extends AbstractQueuedLongSynchronizer {
            private static final long serialVersionUID = 1;

            Sync(long bytes) {
                setState(bytes);
            }

            @Override
            protected long tryAcquireShared(long bytes) {
                while (true) {
                    long free = getState(), left = free - bytes;
                    if (left < 0 || compareAndSetState(free, left)) {
                        return left;
                    }
                }
            }

            @Override
            protected boolean tryReleaseShared(long bytes) {
                while (true) {
                    long free = getState();
                    if (compareAndSetState(free, free + bytes)) {
                        return true;
                    }
                }
            }

            boolean has(long bytes) {
                return getState() >= bytes;
            }
        }

        private final Sync sync = new Sync(4 * PICTURE);

        int within(long bytes, int picture, IntUnaryOperator work) throws InterruptedException {
            sync.acquireSharedInterruptibly(bytes);
            try {
                return work.applyAsInt(picture);
            } finally {
                sync.releaseShared(bytes);
            }
        }

        boolean has(long bytes) {
            return sync.has(bytes);
        }
    }

    static final class Panorama {
        private final MemoryBudget budget;

        Panorama(MemoryBudget budget) {
            this.budget = budget;
        }

        int make(int number) throws InterruptedException {
            return budget.within(PICTURE, number, picture -> {
                long from = System.nanoTime();
                int seams = stitch(picture);
                DIARY.held(0, from, System.nanoTime());
                return seams;
            });
        }

        private int stitch(int picture) {
            int seams = picture;
            for (int part = 0; part < 4; part++) {
                Truth.sleep(0.008);
                seams += part;
            }
            return seams;
        }
    }

    static final class Thumbnail {
        private final MemoryBudget budget;

        Thumbnail(MemoryBudget budget) {
            this.budget = budget;
        }

        int make(int number) throws InterruptedException {
            long asked = System.nanoTime();
            return budget.within(PICTURE, number, picture -> {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                Truth.sleep(0.003);
                DIARY.held(1, from, System.nanoTime());
                return picture / 2;
            });
        }
    }

    public static void main(String[] arguments) {
        MemoryBudget budget = new MemoryBudget();
        Panorama panorama = new Panorama(budget);
        Thumbnail thumbnail = new Thumbnail(budget);
        for (int i = 1; i <= 3; i++) {
            int own = i;
            Truth.repeat("panorama-" + i, () -> {
                panorama.make(own);
                Thread.sleep(10);
            });
            Truth.repeat("scout-" + i, () -> Thread.sleep(budget.has(PICTURE) ? 40 : 50));
        }
        for (int i = 1; i <= 6; i++) {
            int own = i;
            Truth.repeat("thumbnail-" + i, () -> {
                thumbnail.make(own);
                Thread.sleep(6);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("panoramas keep their memory while they are stitched").object("Sync", "MemoryBudget")
            .culprit("Panorama.stitch").thread("panorama-*").victims("thumbnail-*")
            .share(DIARY.share(0), "the thumbnails' waiting for memory").say();
    }
}
