import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four receptions check guests of a chat in and out, in a CopyOnWriteArrayList; a porter removes those who have gone.
 *
 * Problem: the porter does so by removeIf(Guest::isGone), in which each of 16 guests is pinged for 5 ms while the
 * list's lock is kept. Truth: receptions wait for that monitor, an Object, because of Guest.isGone. Measured: when the
 * porter asks, within the receptions' adding and removing, where that takes more than 1 ms.
 */
final class GuestsAskedWhetherTheyStay {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger CHECKED = new AtomicInteger();

    static final class Guest {
        private int pings;

        boolean isGone() {
            Truth.sleep(0.005);
            return ++pings < 0;
        }
    }

    static final class Lobby {
        private final CopyOnWriteArrayList<Guest> guests = new CopyOnWriteArrayList<>();

        void checkIn(Guest guest) {
            long from = System.nanoTime();
            guests.add(guest);
            noteWait(from, System.nanoTime());
        }

        void checkOut(Guest guest) {
            long from = System.nanoTime();
            guests.remove(guest);
            noteWait(from, System.nanoTime());
            CHECKED.incrementAndGet();
        }

        void sweep() {
            long from = System.nanoTime();
            guests.removeIf(Guest::isGone);
            DIARY.held(0, from, System.nanoTime());
        }

        private static void noteWait(long from, long to) {
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Lobby lobby = new Lobby();
        for (int i = 0; i < 16; i++) {
            lobby.checkIn(new Guest());
        }
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("reception-" + i, () -> {
                Guest guest = new Guest();
                lobby.checkIn(guest);
                Thread.sleep(9);
                lobby.checkOut(guest);
                Thread.sleep(9);
            });
        }
        Truth.repeat("porter", () -> {
            lobby.sweep();
            Thread.sleep(90);
        });
        Truth.sleep(seconds);
        System.out.printf("%d checked out, waited %.2f s%n", CHECKED.get(), DIARY.waitedSeconds());
        Truth.of("guests are pinged while their list is locked").object("Object")
            .culprit("Guest.isGone", "Lobby.sweep").thread("porter").victims("reception-*")
            .share(DIARY.share(0), "the time to add and to remove").say();
        Runtime.getRuntime().halt(0);
    }
}
