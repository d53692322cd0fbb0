import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts its own waits. Argument: rounds (60). Four threads guest-N park and wait for a time each round,
 * and so do four virtual threads virtual-N from JDK 21 on; twenty threads entrant-N contend for a
 * monitor once each. Prints `guests N virtual N entrants N`, the parks of each kind of guest, of which
 * there are as many as timed waits, and the entries.
 */
class Counted {
    static final Object DOOR = new Object();
    static final Object BELL = new Object();
    static final Object SPOT = new Object();

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
        AtomicInteger parks = new AtomicInteger();
        AtomicInteger virtualParks = new AtomicInteger();
        List<Thread> guests = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread guest = new Thread(() -> visit(rounds, parks), "guest-" + i);
            guest.start();
            guests.add(guest);
            if (Runtime.version().feature() >= 21) {
                guests.add(Virtual.start("virtual-" + i, () -> visit(rounds, virtualParks)));
            }
        }
        int entrants = 0;
        for (; entrants < 20; entrants++) {
            contend("entrant-" + entrants);
        }
        for (Thread guest : guests) {
            guest.join();
        }
        System.out.println("guests " + parks + " virtual " + virtualParks + " entrants " + entrants);
    }

    static void visit(int rounds, AtomicInteger parks) {
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(SPOT, 300_000);
            parks.incrementAndGet();
            doze();
        }
    }

    static void doze() {
        synchronized (BELL) {
            try {
                BELL.wait(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static void contend(String name) throws InterruptedException {
        Thread entrant = new Thread(Counted::enter, name);
        synchronized (DOOR) {
            entrant.start();
            while (entrant.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            Thread.sleep(8);
        }
        entrant.join();
    }

    static void enter() {
        synchronized (DOOR) {
            /* Only to enter. */
        }
    }
}
