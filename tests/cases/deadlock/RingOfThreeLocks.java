import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * Three areas of a back office, each with a lock: orders, stock and billing. Five clerks move
 * things from one area to the next with both locks held. Http threads look into single areas.
 *
 * Problem: orders go to stock, stock to billing, and corrections go from billing back to orders.
 * Each pair is locked from source to target, so that three clerks can form a ring; two more and
 * all http threads then wait behind it, forever.
 *
 * Truth: a deadlock of three ReentrantLocks, the methods of the three moves. Nothing to measure.
 */
class RingOfThreeLocks {
    enum Area { ORDERS, STOCK, BILLING }

    private final Map<Area, Lock> locks = new EnumMap<>(Area.class);
    private final int[] content = new int[Area.values().length];

    private RingOfThreeLocks() {
        for (Area area : Area.values()) {
            locks.put(area, new ReentrantLock());
        }
    }

    private void withBoth(Area source, Area target, BiConsumer<Area, Area> move) {
        locks.get(source).lock();
        try {
            check(source);
            locks.get(target).lock();
            try {
                check(target);
                move.accept(source, target);
            } finally {
                locks.get(target).unlock();
            }
        } finally {
            locks.get(source).unlock();
        }
    }

    private void check(Area area) {
        Truth.sleep(content[area.ordinal()] == Integer.MAX_VALUE ? 0 : 0.003);
    }

    private void move(Area source, Area target) {
        content[source.ordinal()]--;
        content[target.ordinal()]++;
    }

    void reserve() {
        withBoth(Area.ORDERS, Area.STOCK, this::move);
    }

    void invoice() {
        withBoth(Area.STOCK, Area.BILLING, this::move);
    }

    void correct() {
        if (content[Area.BILLING.ordinal()] < 60) {
            return; // nothing to correct so far
        }
        withBoth(Area.BILLING, Area.ORDERS, this::move);
    }

    int look(Area area) {
        locks.get(area).lock();
        try {
            return content[area.ordinal()];
        } finally {
            locks.get(area).unlock();
        }
    }

    public static void main(String[] args) {
        RingOfThreeLocks office = new RingOfThreeLocks();
        List<Runnable> duties = List.of(office::reserve, office::reserve, office::invoice,
            office::invoice, office::correct);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(clerk("clerk-" + (i + 1), duties.get(i), new Random(i), 15));
        }
        for (int i = 0; i < 6; i++) {
            Area area = Area.values()[i % 3];
            all.add(clerk("http-" + (i + 1), () -> office.look(area), new Random(20 + i), 8));
        }
        Truth.sayAndHalt(Truth.stuck("deadlock: three clerks hold one of the locks of orders, "
                + "stock and billing each and wait for the next in the ring; other clerks and "
                + "http threads wait behind")
            .object("ReentrantLock")
            .culprit("RingOfThreeLocks.reserve", "RingOfThreeLocks.invoice",
                "RingOfThreeLocks.correct", "RingOfThreeLocks.withBoth")
            .thread("clerk-*")
            .victims("http-*", "clerk-*")
            .noShare(), Truth.seconds(args));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleAtFixedRate(System::nanoTime, 0, 200, TimeUnit.MILLISECONDS);
        all.forEach(Thread::start);
        Truth.hangsOnce(all);
    }

    private static Thread clerk(String name, Runnable duty, Random random, int rest) {
        return new Thread(() -> {
            while (true) {
                duty.run();
                Truth.sleep((rest + random.nextInt(rest)) / 1e3);
            }
        }, name);
    }
}
