import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A museum's guards are in a Vector. Five doors look whether who comes is in it; an office enrols
 * somebody now and then, and writes a card (2 ms) with the vector's monitor, so that the number on it
 * is right.
 *
 * Problem: a purge removes by Vector.removeIf, whose predicate asks an authority about each fifteenth
 * licence (Authority.ask, 4 ms) that it does not remember. Truth: doors wait for the Vector's monitor
 * because of Authority.ask. Measured: the part of the doors' waiting during which the purge is in the
 * predicate's question.
 */
final class RosterPurgedInPlace {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Guard(int number, int licence) {
    }

    static final class Authority {
        private int asked;

        boolean ask(int licence) {
            asked++;
            Truth.sleep(0.004);
            return licence % 3000 != asked;
        }
    }

    static final class Licences {
        private final ConcurrentHashMap<Integer, Boolean> remembered = new ConcurrentHashMap<>();
        private final Authority authority = new Authority();

        boolean isValid(int licence) {
            Boolean known = licence % 15 == 0 ? null : remembered.get(licence);
            if (known == null && licence % 15 == 0) {
                long from = System.nanoTime();
                known = authority.ask(licence);
                DIARY.held(0, from, System.nanoTime());
            }
            return known == null || known;
        }
    }

    static final class Roster {
        private final Vector<Guard> guards = new Vector<>();
        private final Licences licences = new Licences();

        void purge() {
            guards.removeIf(guard -> !licences.isValid(guard.licence()));
        }

        void enrol(int number) {
            synchronized (guards) {
                long from = System.nanoTime();
                guards.add(new Guard(number, number));
                writeCard(guards.size());
                DIARY.held(1, from, System.nanoTime());
                guards.remove(guards.size() - 1);
            }
        }

        private static void writeCard(int number) {
            Truth.sleep(0.002 + number * 1e-9);
        }

        boolean knows(Guard guard) {
            return guards.contains(guard);
        }
    }

    public static void main(String[] arguments) {
        Roster roster = new Roster();
        for (int i = 1; i <= 60; i++) {
            roster.guards.add(new Guard(i, i));
        }
        Truth.repeat("roster-purge", () -> {
            roster.purge();
            Thread.sleep(25);
        });
        Truth.repeat("roster-office", () -> {
            roster.enrol(1000);
            Thread.sleep(9);
        });
        DIARY.clients("door", 5, 8, () -> roster.knows(new Guard(41, 41)));
        Truth.repeat("lights", () -> Thread.sleep(200));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a predicate asks an authority within Vector.removeIf").object("Vector").culprit("Authority.ask")
            .thread("roster-purge").victims("door-*").share(DIARY.share(0), "the doors' waiting for the roster").say();
    }
}
