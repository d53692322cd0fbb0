import static java.lang.System.nanoTime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A table of sessions with one ReentrantLock and six methods that take it. Sixteen http threads
 * look sessions up, touch, open and close them, all in microseconds; a checkpoint every 100 ms
 * holds the lock for 12 ms.
 *
 * Problem: SessionTable.expireAll, called by the reaper twice a second, asks the single-sign-on
 * service about old sessions while it holds the lock: 200 to 300 ms.
 *
 * Truth: the lock, expireAll, the reaper. Measured: each method notes when it held the lock, the
 * http threads note their waits for it.
 */
class SessionExpiryHoldsLockRarely {
    public static void main(String[] args) throws InterruptedException {
        SessionTable table = new SessionTable();
        ThreadFactory http = new Daemons("http-");
        for (int i = 0; i < 16; i++) {
            http.newThread(new RequestLoop(table, i)).start();
        }
        ScheduledExecutorService reaper =
            Executors.newSingleThreadScheduledExecutor(new Daemons("reaper-"));
        reaper.scheduleWithFixedDelay(table::expireAll, 100, 250, TimeUnit.MILLISECONDS);
        ScheduledExecutorService housekeeping =
            Executors.newScheduledThreadPool(3, new Daemons("housekeeping-"));
        housekeeping.scheduleWithFixedDelay(table::checkpoint, 50, 100, TimeUnit.MILLISECONDS);
        housekeeping.scheduleWithFixedDelay(() -> { }, 1, 1, TimeUnit.SECONDS);
        Thread.sleep((long) (Truth.seconds(args) * 1e3));
        Truth.of("SessionTable.expireAll holds the lock of the session table for 200 to 300 ms "
                + "while it asks the single-sign-on service, and all requests wait")
            .object("ReentrantLock")
            .culprit("SessionTable.expireAll", "SingleSignOn.stillKnown")
            .thread("reaper-*")
            .victims("http-*")
            .share(table.diary.share(SessionTable.EXPIRE), "the http threads' waiting for the lock")
            .say();
    }
}

class Daemons implements ThreadFactory {
    private final String prefix;
    private int number;

    Daemons(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public synchronized Thread newThread(Runnable body) {
        Thread thread = new Thread(body, prefix + ++number);
        thread.setDaemon(true);
        return thread;
    }
}

class SingleSignOn {
    private final Random random = new Random(1);

    int stillKnown(List<Integer> sessions) {
        Truth.sleep(0.2 + random.nextInt(100) / 1e3);
        return sessions.size() / 2;
    }
}

class SessionTable {
    static final int EXPIRE = 0, CHECKPOINT = 1, REQUEST = 2;
    final Truth.Diary diary = new Truth.Diary();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, Long> lastUse = new HashMap<>();
    private final SingleSignOn sso = new SingleSignOn();

    long lookup(int session) {
        long from = enter();
        try {
            return lastUse.getOrDefault(session, -1L);
        } finally {
            leave(REQUEST, from);
        }
    }

    void touch(int session) {
        long from = enter();
        try {
            lastUse.computeIfPresent(session, (id, before) -> nanoTime());
        } finally {
            leave(REQUEST, from);
        }
    }

    void open(int session) {
        long from = enter();
        try {
            lastUse.put(session, nanoTime());
        } finally {
            leave(REQUEST, from);
        }
    }

    void close(int session) {
        long from = enter();
        try {
            lastUse.remove(session);
        } finally {
            leave(REQUEST, from);
        }
    }

    void checkpoint() {
        lock.lock();
        long from = nanoTime();
        try {
            Truth.sleep(0.012); // the table is copied to the standby
        } finally {
            leave(CHECKPOINT, from);
        }
    }

    void expireAll() {
        lock.lock();
        long from = nanoTime();
        try {
            List<Integer> old = new ArrayList<>();
            lastUse.forEach((session, used) -> {
                if (nanoTime() - used > 200_000_000L) {
                    old.add(session);
                }
            });
            int keep = sso.stillKnown(old);
            old.stream().skip(keep).forEach(lastUse::remove);
        } finally {
            leave(EXPIRE, from);
        }
    }

    private long enter() {
        long asked = nanoTime();
        lock.lock();
        long got = nanoTime();
        diary.waited(asked, got);
        return got;
    }

    private void leave(int who, long from) {
        diary.held(who, from, nanoTime());
        lock.unlock();
    }
}

class RequestLoop implements Runnable {
    private final SessionTable table;
    private final Random random;

    RequestLoop(SessionTable table, int seed) {
        this.table = table;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        while (true) {
            handle(random.nextInt(2000));
            Truth.sleep((5 + random.nextInt(20)) / 1e3);
        }
    }

    private void handle(int session) {
        if (table.lookup(session) < 0) {
            table.open(session);
        } else if (random.nextInt(5) == 0) {
            table.close(session);
        } else {
            table.touch(session);
        }
    }
}
