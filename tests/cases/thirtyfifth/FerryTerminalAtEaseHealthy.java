import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A ferry terminal, all of it made at home: a crew of workers of which the last to rest is the first
 * to be woken (each parks on a place of its own), a clock with a queue of what is due (wait with a
 * limit), boards that ask for the next departure and are told after at most 400 ms that there is none
 * (a future with a timeout), four gangways lent by a stack. A ferry comes each 250 ms, by the clock;
 * nobody has to wait for a gangway or a worker.
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class FerryTerminalAtEaseHealthy {
    static final class Crew {
        private static final class Place {
            private final AtomicReference<Runnable> work = new AtomicReference<>();
            private volatile Thread thread;
        }

        private final Deque<Place> resting = new ConcurrentLinkedDeque<>();

        Crew(int count) {
            for (int i = 1; i <= count; i++) {
                Place place = new Place();
                resting.push(place);
                Truth.start("crew-" + i, () -> work(place));
            }
        }

        private void work(Place place) {
            place.thread = Thread.currentThread();
            while (true) {
                Runnable work = place.work.getAndSet(null);
                if (work == null) {
                    LockSupport.park(place);
                } else {
                    work.run();
                    resting.push(place);
                }
            }
        }

        boolean give(Runnable work) {
            Place place = resting.poll();
            if (place == null) {
                return false;
            }
            place.work.set(work);
            LockSupport.unpark(place.thread);
            return true;
        }
    }

    static final class Clock implements Runnable {
        private record Due(long at, Runnable work) {
        }

        private final PriorityQueue<Due> queue = new PriorityQueue<>(Comparator.comparingLong(Due::at));

        synchronized void after(long millis, Runnable work) {
            queue.add(new Due(System.nanoTime() + millis * 1_000_000, work));
            notify();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    next().run();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized Runnable next() throws InterruptedException {
            while (true) {
                Due due = queue.peek();
                long left = due == null ? 1_000_000_000L : due.at() - System.nanoTime();
                if (left <= 0) {
                    return queue.poll().work();
                }
                wait(left / 1_000_000 + 1);
            }
        }
    }

    static final class Gangways {
        private final Deque<Integer> free = new ArrayDeque<>();

        Gangways() {
            for (int i = 1; i <= 4; i++) {
                free.add(i);
            }
        }

        synchronized int lend() throws InterruptedException {
            while (free.isEmpty()) {
                wait();
            }
            return free.pop();
        }

        synchronized void giveBack(int gangway) {
            free.push(gangway);
            notify();
        }
    }

    static final class Departures {
        private volatile CompletableFuture<Integer> next = new CompletableFuture<>();

        void departs(int ferry) {
            CompletableFuture<Integer> told = next;
            next = new CompletableFuture<>();
            told.complete(ferry);
        }

        int await() throws Exception {
            try {
                return next.get(400, TimeUnit.MILLISECONDS);
            } catch (TimeoutException exception) {
                return -1;
            }
        }
    }

    public static void main(String[] arguments) {
        Crew crew = new Crew(5);
        Clock clock = new Clock();
        Truth.start("terminal-clock", clock);
        Gangways gangways = new Gangways();
        Departures departures = new Departures();
        Truth.repeat("pier", () -> {
            Thread.sleep(250 - System.nanoTime() / 1_000_000 % 250);
            crew.give(() -> {
                try {
                    int gangway = gangways.lend();
                    Truth.sleep(0.004);
                    clock.after(60, () -> {
                        gangways.giveBack(gangway);
                        departures.departs(gangway);
                    });
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
            });
        });
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("board-" + i, departures::await);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("everybody waits for the next ferry, which comes by the clock")
            .object().culprit().thread().victims().noShare().say();
    }
}
