import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Eight scanners at an airport put bags on a belt with room for twelve; one sorter takes them, looks up the chute on
 * the flight board, and pushes each (1 ms). The board is reloaded eight times a second.
 *
 * Problem: the airport's feed is read for 50 ms while the board's write lock is held; the sorter waits for it, the
 * belt fills, and scanners wait for room on the belt. Truth: scanners wait for the belt because of FlightBoard.reload.
 * Measured: what the sorter waits for the board, and what it does itself, within the scanners' waiting.
 */
final class BagsWaitForTheFlightBoard {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Bag(String tag, int flight) {}

    /** Where flights and their chutes come from. */
    interface Feed {
        Map<Integer, Integer> chutes();
    }

    static final class AirportFeed implements Feed {
        private int edition;

        @Override
        public Map<Integer, Integer> chutes() {
            Map<Integer, Integer> chutes = new HashMap<>();
            edition++;
            for (int page = 0; page < 5; page++) {
                Truth.sleep(0.01); // a page of flights comes over the network
                for (int flight = page * 20; flight < page * 20 + 20; flight++) {
                    chutes.put(flight, (flight + edition) % 9);
                }
            }
            return chutes;
        }
    }

    static final class FlightBoard {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> chutes = new HashMap<>();
        private final Feed feed;

        FlightBoard(Feed feed) {
            this.feed = feed;
        }

        void reload() {
            lock.writeLock().lock();
            try {
                chutes.clear();
                chutes.putAll(feed.chutes());
            } finally {
                lock.writeLock().unlock();
            }
        }

        int chuteOf(Bag bag) {
            lock.readLock().lock();
            try {
                return chutes.getOrDefault(bag.flight(), 0);
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    static final class Sorter implements Truth.Step {
        private final BlockingQueue<Bag> belt;
        private final FlightBoard board;
        private final int[] sorted = new int[9];

        Sorter(BlockingQueue<Bag> belt, FlightBoard board) {
            this.belt = belt;
            this.board = board;
        }

        @Override
        public void run() throws InterruptedException {
            Bag bag = belt.take();
            long asked = System.nanoTime();
            int chute = board.chuteOf(bag);
            long told = System.nanoTime();
            push(chute);
            DIARY.held(0, asked, told);
            DIARY.held(1, told, System.nanoTime());
        }

        private void push(int chute) {
            Truth.sleep(0.001);
            sorted[chute]++;
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Bag> belt = new ArrayBlockingQueue<>(12);
        FlightBoard board = new FlightBoard(new AirportFeed());
        Truth.repeat("sorter", new Sorter(belt, board));
        Truth.repeat("board-reload", () -> {
            board.reload();
            Thread.sleep(75);
        });
        AtomicInteger tags = new AtomicInteger();
        DIARY.clients("scanner", 8, 15, () -> belt.put(new Bag("LX" + tags.get(), tags.incrementAndGet() % 100)));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the flight board is locked while its feed is read, so the sorter stands and the belt fills")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("FlightBoard.reload", "AirportFeed.chutes")
            .thread("board-reload").victims("scanner-*")
            .share(DIARY.share(0), "the scanners' waiting for room on the belt").say();
    }
}
