import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Each device of a greenhouse is an actor with a mailbox and a thread of its own; sensors send readings to their valve,
 * which sends each tenth on to the journal. The fire alarm has a mailbox, too.
 *
 * Problem: none: a sensor reads every 60 to 140 ms, and there is no fire. Truth: healthy.
 */
final class GreenhouseActorsHealthy {
    private abstract static class Actor extends Thread {
        private final ReentrantLock door = new ReentrantLock();
        private final Condition arrived = door.newCondition();
        private final Deque<Integer> mail = new ArrayDeque<>();

        Actor(String name) {
            super(name);
            setDaemon(true);
        }

        void tell(int message) {
            door.lock();
            try {
                mail.addLast(message);
                arrived.signal();
            } finally {
                door.unlock();
            }
        }

        private int next() throws InterruptedException {
            door.lock();
            try {
                while (mail.isEmpty()) {
                    arrived.await();
                }
                return mail.removeFirst();
            } finally {
                door.unlock();
            }
        }

        @Override
        public void run() {
            try {
                while (!isInterrupted()) {
                    receive(next());
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }

        abstract void receive(int message) throws InterruptedException;
    }

    private static final class Journal extends Actor {
        private long rows;

        Journal() {
            super("journal");
        }

        @Override
        void receive(int message) throws InterruptedException {
            Thread.sleep(2);
            rows++;
        }
    }

    private static final class Valve extends Actor {
        private final Actor journal;
        private int position, readings;

        Valve(int number, Actor journal) {
            super("valve-" + number);
            this.journal = journal;
        }

        @Override
        void receive(int message) {
            position = (position * 7 + message) / 8;
            if (++readings % 10 == 0) {
                journal.tell(position);
            }
        }
    }

    private static final class FireAlarm extends Actor {
        FireAlarm() {
            super("fire-alarm");
        }

        @Override
        void receive(int message) {
            System.out.println("fire! " + message);
        }
    }

    private record Sensor(Actor valve, int period) implements Runnable {
        private int measure() {
            try {
                Thread.sleep(period);
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
            return (int) (System.nanoTime() >> 20 & 255);
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                valve.tell(measure());
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        List<Actor> actors = new ArrayList<>(List.of(new Journal(), new FireAlarm()));
        for (int i = 1; i <= 5; i++) {
            actors.add(new Valve(i, actors.get(0)));
        }
        actors.forEach(Thread::start);
        for (int i = 1; i <= 5; i++) {
            Thread sensor = new Thread(new Sensor(actors.get(1 + i), 40 + i * 20), "sensor-" + i);
            sensor.setDaemon(true);
            sensor.start();
        }
        Thread.sleep((long) (seconds * 1000));
        Truth.healthy("actors that wait for readings").object().culprit().thread().victims().noShare().say();
    }
}
