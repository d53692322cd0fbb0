import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/**
 * Decoding is limited by a fair semaphore of eight: an icon takes one permit for 3 ms, a poster four.
 * Eight threads make icons; a valuer takes two permits for 2 ms, seldom.
 *
 * Problem: two posters are rasterised with four permits each, Rasteriser.fill, 24 ms. Truth: icons
 * wait for the Semaphore because of Rasteriser.fill. Measured: the part of the icons' waiting during
 * which posters are rasterised, shared with who else has permits, by permits.
 */
final class DecodersBookTheirMemory {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Budget {
        private final Semaphore permits = new Semaphore(8, true);

        <T> T with(int count, int who, Callable<T> work) throws Exception {
            long asked = System.nanoTime();
            permits.acquire(count);
            long from = System.nanoTime();
            if (who == 1) {
                DIARY.waited(asked, from);
            }
            try {
                return work.call();
            } finally {
                long to = System.nanoTime();
                for (int i = 0; i < count; i++) {
                    DIARY.held(who, from, to);
                }
                permits.release(count);
            }
        }
    }

    static final class Rasteriser {
        private int lines;

        int fill(int poster) {
            for (int band = 0; band < 6; band++) {
                Truth.sleep(0.004);
                lines += poster;
            }
            return lines;
        }
    }

    static final class Poster {
        private final Rasteriser rasteriser = new Rasteriser();

        int decode(int number) {
            return rasteriser.fill(number) + 1;
        }
    }

    static final class Icon {
        int decode(int number) {
            Truth.sleep(0.003);
            return number;
        }
    }

    public static void main(String[] arguments) {
        Budget budget = new Budget();
        for (int i = 1; i <= 2; i++) {
            int own = i;
            Poster poster = new Poster();
            Truth.repeat("poster-" + i, () -> {
                budget.with(4, 0, () -> poster.decode(own));
                Thread.sleep(4 + own);
            });
        }
        Icon icon = new Icon();
        for (int i = 1; i <= 8; i++) {
            int own = i;
            Truth.repeat("icon-" + i, () -> {
                budget.with(1, 1, () -> icon.decode(own));
                Thread.sleep(7);
            });
        }
        Truth.repeat("valuer", () -> {
            budget.with(2, 2, () -> {
                Truth.sleep(0.002);
                return 0;
            });
            Thread.sleep(120);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("posters take half of all permits each").object("Semaphore", "FairSync").culprit("Rasteriser.fill")
            .thread("poster-*").victims("icon-*").share(DIARY.share(0), "the icons' waiting for a permit").say();
    }
}
