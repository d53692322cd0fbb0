import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Each thread waits for ever for something that its code reached in another way, and is called what
 * can be said of that way: "Fields.lock", or "-" where nothing can. "ready" once all wait.
 */
final class Fields {
    private final Lock lock = new ReentrantLock();
    private static final Lock GLOBAL = new ReentrantLock();
    private final ReadWriteLock rates = new ReentrantReadWriteLock();
    private final Lock[] stripes = {new ReentrantLock(), new ReentrantLock()};
    private final Lock[][] shelves = {{new ReentrantLock()}};
    private final Map<String, Lock> byName = new ConcurrentHashMap<>();
    private final BlockingQueue<String> letters = new LinkedBlockingQueue<>();
    private final Semaphore permits = new Semaphore(0);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Condition full = lock.newCondition();
    private final Object monitor = new Object();
    private final Object bell = new Object();
    /** Each reached in one way only, of which nothing can be said. */
    private final Lock first = new ReentrantLock(), second = new ReentrantLock();
    private final Lock third = new ReentrantLock(), fourth = new ReentrantLock();
    private final Lock fifth = new ReentrantLock();
    private final Fields next;
    private int n;

    /** Static and synchronised. */
    static final class Registry {
        static synchronized void enter(Runnable then) {
            then.run();
        }
    }

    private Fields(Fields next) {
        this.next = next;
        byName.put("a", new ReentrantLock());
    }

    private void copied() throws InterruptedException {
        final Lock copy = this.lock;
        int before = n;
        for (int i = 0; i < 3 && before >= 0; i++)
            before = i;
        try {
            copy.lockInterruptibly();
        } finally {
            n = before;
        }
    }

    private void oneOfTwo(boolean yes) {
        (yes ? first : GLOBAL).lock();
    }

    private void sameOfTwo(boolean yes) {
        Lock one = yes ? lock : lock;
        one.lock();
    }

    private void assignedTwice(boolean yes) {
        Lock one = GLOBAL;
        if (yes)
            one = second;
        one.lock();
    }

    private void changedInALoop() {
        Lock one = GLOBAL;
        for (int i = 0; i < 2; i++) {
            if (i == 1)
                one.lock();
            one = third;
        }
    }

    private static void argument(Lock given) {
        given.lock();
    }

    private static void argumentOrField(Lock given) {
        if (given == null)
            given = GLOBAL;
        given.lock();
    }

    private void afterAHandler(String text) {
        int number;
        try {
            number = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            number = e.getMessage().length();
        }
        switch (number % 3) {
            case 0:
                n++;
                break;
            default:
                n--;
        }
        long wide = number + 1L;
        rates.writeLock().lock();
        n += (int) (wide > 3 ? wide : 2);
    }

    private void waitsForMonitor() {
        synchronized (next.monitor) {
            n++;
        }
    }

    private void waitsForClass() {
        synchronized (Fields.class) {
            n++;
        }
    }

    private synchronized void waitsForItself() {
        n++;
    }

    private void waitsToBeTold() throws InterruptedException {
        synchronized (bell) {
            bell.wait();
        }
    }

    /** What may be thrown is thrown. */
    interface Task {
        void run() throws Exception;
    }

    private static final AtomicInteger STARTED = new AtomicInteger();

    private static void start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        thread.setDaemon(true);
        STARTED.incrementAndGet();
        thread.start();
    }

    private void startAll() {
        Lock captured = new ReentrantLock();
        captured.lock();
        start("Fields.lock/1", () -> lock.lock());
        start("Fields.lock/2", this::copied);
        start("Fields.lock/3", () -> sameOfTwo(stripes.length == 2));
        start("Fields.lock/4", new Task() {
            @Override
            public void run() {
                next.lock.lock();
            }
        });
        start("2.captured", new Task() {
            @Override
            public void run() {
                captured.lock();
            }
        });
        start("Fields.GLOBAL", () -> GLOBAL.lock());
        start("Fields.rates/1", () -> rates.readLock().lock());
        start("Fields.rates/2", () -> afterAHandler("x"));
        start("Fields.stripes[]", () -> stripes[stripes.length - 1].lock());
        start("Fields.shelves[]", () -> shelves[0][0].lock());
        start("Fields.byName[]", () -> byName.get("a").lock());
        start("Fields.letters", () -> letters.take());
        start("Fields.permits", () -> permits.acquire(stripes.length));
        start("Fields.done", () -> next.done.await());
        start("Fields.monitor", this::waitsForMonitor);
        start("Fields.class", this::waitsForClass);
        start("Registry.class", () -> Registry.enter(() -> n++));
        start("Fields.bell", this::waitsToBeTold);
        start("-/either", () -> oneOfTwo(stripes.length == 2));
        start("-/assigned twice", () -> assignedTwice(stripes.length == 2));
        start("-/changed in a loop", this::changedInALoop);
        start("-/argument", () -> argument(fourth));
        start("-/argument or field", () -> argumentOrField(fifth));
        start("-/itself", this::waitsForItself);
    }

    private static boolean allWait() {
        int waiting = 0;
        for (var info : ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
            if (info.getThreadState() != Thread.State.RUNNABLE
                    && (info.getThreadName().contains(".")
                            || info.getThreadName().startsWith("-/")))
                waiting++;
        return waiting == STARTED.get();
    }

    public static void main(String[] args) throws Exception {
        Fields first = new Fields(null), fields = new Fields(first);
        GLOBAL.lock();
        for (Fields each : new Fields[] {first, fields}) {
            for (Lock one : new Lock[] {each.lock, each.first, each.second, each.third, each.fourth, each.fifth})
                one.lock();
            each.rates.writeLock().lock();
            each.byName.get("a").lock();
            each.stripes[1].lock();
            each.shelves[0][0].lock();
        }
        synchronized (first.monitor) {
            synchronized (Fields.class) {
                synchronized (fields) {
                    Registry.enter(() -> {
                        fields.startAll();
                        while (!allWait())
                            Thread.onSpinWait();
                        System.out.println("ready");
                        try {
                            Thread.sleep(60_000);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                }
            }
        }
    }
}
