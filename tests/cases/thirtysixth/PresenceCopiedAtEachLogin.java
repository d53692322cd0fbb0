import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.ArrayList;
import java.util.Random;

/**
 * Who is online is kept as an immutable list, replaced under a monitor at each login, so that readers
 * need no lock. Six gateways log people in; whoever looks reads the list.
 *
 * Problem: each login copies and sorts all of it, Presence.sorted, some milliseconds of a processor,
 * in the monitor; telling the neighbours takes half a millisecond more. Truth: gateways wait for
 * the Presence's monitor because of Presence.sorted. Measured: the part of the gateways' waiting during
 * which the list is made.
 */
final class PresenceCopiedAtEachLogin {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Person(int number, String name) {
    }

    static final class Presence {
        private volatile List<Person> online = List.of();
        private int told;

        Presence(int count, Random random) {
            List<Person> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(new Person(i, "p" + random.nextInt(1_000_000)));
            }
            online = List.copyOf(all);
        }

        void login(Person person) {
            long asked = System.nanoTime();
            synchronized (this) {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                online = sorted(person);
                long made = System.nanoTime();
                DIARY.held(0, from, made);
                tellNeighbours();
                DIARY.held(1, made, System.nanoTime());
            }
        }

        private List<Person> sorted(Person person) {
            List<Person> copy = new ArrayList<>(online);
            copy.set(person.number(), person);
            Collections.shuffle(copy, new Random(person.number()));
            copy.sort(Comparator.comparing(Person::number));
            return List.copyOf(copy);
        }

        private void tellNeighbours() {
            Truth.sleep(0.0005);
            told++;
        }

        boolean isOnline(int number) {
            return online.get(number).number() == number;
        }
    }

    public static void main(String[] arguments) {
        Presence presence = new Presence(12_000, new Random(3));
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.repeat("Gateway_" + i + "_login", () -> {
                presence.login(new Person(random.nextInt(12_000), "new"));
                Thread.sleep(12);
            });
        }
        Truth.repeat("roster-view", () -> Thread.sleep(presence.isOnline(17) ? 20 : 21));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("all who are online are copied and sorted in the monitor at each login").object("Presence")
            .culprit("Presence.sorted").thread("Gateway_*_login").victims("Gateway_*_login")
            .share(DIARY.share(0), "the gateways' waiting for the monitor").say();
    }
}
