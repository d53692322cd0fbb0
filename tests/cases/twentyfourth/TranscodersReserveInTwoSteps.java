import java.util.ArrayList;
import java.util.List;

/**
 * Seven transcoders (virtual threads where there are any) share a budget of twelve gigabytes, which is kept by wait
 * and notifyAll: each reserves some to decode, some more to encode, and gives back both.
 *
 * Problem: there is room as long as films are small (1 GB a step); after two fifths of the time they are large (2 GB),
 * and soon six have what they need to decode, and none can have more. Truth: transcoders wait for ever for the Budget
 * because of Transcoder.encode, which reserves while something is reserved already.
 */
final class TranscodersReserveInTwoSteps {
    static final class Budget {
        private int free;

        Budget(int gigabytes) {
            free = gigabytes;
        }

        synchronized void reserve(int gigabytes) throws InterruptedException {
            while (free < gigabytes) {
                wait();
            }
            free -= gigabytes;
        }

        synchronized void giveBack(int gigabytes) {
            free += gigabytes;
            notifyAll();
        }
    }

    record Film(int number, int gigabytes) {}

    record Transcoder(Budget budget, Library library) {
        void work() {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = transcode(library.next());
                Truth.sleep(0.005);
            }
        }

        /** Whether there is to be another. */
        private boolean transcode(Film film) {
            try {
                decode(film);
                return true;
            } catch (InterruptedException exception) {
                return false;
            }
        }

        private void decode(Film film) throws InterruptedException {
            budget.reserve(film.gigabytes());
            try {
                Truth.sleep(0.006);
                encode(film);
            } finally {
                budget.giveBack(film.gigabytes());
            }
        }

        private void encode(Film film) throws InterruptedException {
            budget.reserve(film.gigabytes());
            try {
                Truth.sleep(0.004);
            } finally {
                budget.giveBack(film.gigabytes());
            }
        }
    }

    static final class Library {
        private int films;
        volatile boolean large;

        synchronized Film next() {
            return new Film(films++, large ? 2 : 1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Budget budget = new Budget(12);
        Library library = new Library();
        List<Thread> transcoders = new ArrayList<>();
        for (int i = 1; i <= 7; i++) {
            transcoders.add(Truth.virtual("transcoder-" + i, new Transcoder(budget, library)::work));
        }
        Truth.hangsOnce(transcoders);
        Truth.start("season", () -> {
            Truth.sleep(seconds * 0.4);
            library.large = true;
        });
        Truth.sayAndHalt(Truth.stuck("each transcoder keeps what it has to decode with, and waits for as much again")
            .object("Budget").culprit("Transcoder.encode", "Transcoder.decode").thread("transcoder-*")
            .victims("transcoder-*").noShare(), seconds);
        Truth.sleep(seconds + 2);
    }
}
