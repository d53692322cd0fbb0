import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A game's server: forty rooms are actors, with a mailbox each, run by a pool of four threads when
 * there is mail. Six scribes are threads with a private queue. A clock sends mail to rooms every
 * few milliseconds, rooms write to each other and to scribes.
 *
 * Problem: none; the pool's threads and the scribes wait for mail, which is what they are for.
 * Truth: healthy. Measured: nothing.
 */
final class ActorsHealthy {
    private static final int ROOMS = 40, SCRIBES = 6;

    /** Takes its mail one by one, never on two threads at a time. */
    static final class Room implements Runnable {
        private final Queue<Integer> mail = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean running = new AtomicBoolean();
        private final ActorsHealthy game;
        private final Random random;

        Room(ActorsHealthy game, int seed) {
            this.game = game;
            random = new Random(seed);
        }

        void tell(int hops) {
            mail.add(hops);
            if (running.compareAndSet(false, true)) {
                game.pool.execute(this);
            }
        }

        @Override
        public void run() {
            for (Integer hops = mail.poll(); hops != null; hops = mail.poll()) {
                if (hops > 0) {
                    game.rooms.get(random.nextInt(ROOMS)).tell(hops - 1);
                } else {
                    game.scribes.get(random.nextInt(SCRIBES)).add(random.nextInt(100));
                }
            }
            running.set(false);
            if (!mail.isEmpty() && running.compareAndSet(false, true)) {
                game.pool.execute(this);
            }
        }
    }

    private final AtomicInteger number = new AtomicInteger();
    private final Executor pool = Executors.newFixedThreadPool(4,
        work -> Truth.daemon("room-runner-" + number.incrementAndGet(), work));
    private final List<Room> rooms = new ArrayList<>();
    private final List<LinkedBlockingQueue<Integer>> scribes = new ArrayList<>();

    public static void main(String[] arguments) {
        ActorsHealthy game = new ActorsHealthy();
        for (int i = 0; i < ROOMS; i++) {
            game.rooms.add(new Room(game, i));
        }
        for (int i = 1; i <= SCRIBES; i++) {
            LinkedBlockingQueue<Integer> mail = new LinkedBlockingQueue<>();
            game.scribes.add(mail);
            Truth.daemon("scribe-" + i, () -> write(mail)).start();
        }
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1,
            work -> Truth.daemon("clock", work));
        Random random = new Random(1);
        clock.scheduleAtFixedRate(() -> game.rooms.get(random.nextInt(ROOMS)).tell(5), 5, 5,
            TimeUnit.MILLISECONDS);
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("actors and scribes wait for mail, and have it as soon as it is sent")
            .object().culprit().thread().victims().noShare().say();
    }

    private static void write(LinkedBlockingQueue<Integer> mail) {
        try {
            for (int pages = mail.take(); pages >= 0; pages = mail.take()) {
                Truth.sleep(0.0005 + pages * 0.00001);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
