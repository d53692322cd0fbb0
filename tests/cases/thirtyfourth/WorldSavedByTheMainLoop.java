import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A game server: main() moves the world on each 20 ms, World.tick, 4 ms, with a lock; six players move, 0.2 ms each,
 * with the same one.
 *
 * Problem: each tenth time main() also saves the world with the lock, SaveFile.write, 60 ms. Truth: players wait for the
 * ReentrantLock because of SaveFile.write. Measured: the part of the players' waiting for the lock during which the
 * world is saved.
 */
final class WorldSavedByTheMainLoop {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class SaveFile {
        private int saves;

        void write(Map<Integer, Integer> places) {
            long from = System.nanoTime();
            Truth.sleep(0.060);
            saves += places.size();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class World {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, Integer> places = new HashMap<>();
        private final SaveFile file = new SaveFile();
        private int ticks;

        void turn() {
            lock.lock();
            try {
                tick();
                if (++ticks % 10 == 0) {
                    file.write(places);
                }
            } finally {
                lock.unlock();
            }
        }

        private void tick() {
            long from = System.nanoTime();
            Truth.sleep(0.004);
            places.replaceAll((player, place) -> place + 1);
            DIARY.held(1, from, System.nanoTime());
        }

        void move(int player, int to) {
            long asked = System.nanoTime();
            lock.lock();
            try {
                long from = System.nanoTime();
                DIARY.waited(asked, from);
                Truth.sleep(0.0002);
                places.put(player, to);
                DIARY.held(1, from, System.nanoTime());
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        World world = new World();
        for (int i = 1; i <= 6; i++) {
            int player = i;
            Truth.repeat("player-" + i, () -> {
                world.move(player, player * 7);
                Thread.sleep(8);
            });
        }
        long end = System.nanoTime() + (long) (Truth.seconds(arguments) * 1e9);
        while (System.nanoTime() < end) {
            world.turn();
            Thread.sleep(16);
        }
        System.out.printf("waited %.2f s in all%n", DIARY.waitedSeconds());
        Truth.of("the main loop saves the world with its lock").object("ReentrantLock", "NonfairSync")
            .culprit("SaveFile.write").thread("main").victims("player-*")
            .share(DIARY.share(0), "the players' waiting for the lock").say();
    }
}
