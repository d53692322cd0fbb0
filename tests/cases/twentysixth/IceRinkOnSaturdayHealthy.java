import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An ice rink on a Saturday. Skates that were lent are due after half a second, and a clerk takes them from a
 * DelayQueue; three judges mark each figure in 40 ms and meet at a barrier; displays ask for news and have it, or
 * nothing, after 700 ms; guests go through a gate of sixteen permits; cocoa is made by a pool of as many threads as are
 * needed, whose idle ones wait at a SynchronousQueue; two attendants of the lockers wait for a bell most of the time.
 *
 * Problem: none. It is busy, and whoever waits for long waits for the clock, for work or for news that nobody owes.
 * Truth: healthy. Measured: how long guests waited at the gate.
 */
final class IceRinkOnSaturdayHealthy {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Skates(int size, long due) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Skates) other).due());
        }
    }

    record Judge(CyclicBarrier figure) implements Truth.Step {
        @Override
        public void run() throws InterruptedException, BrokenBarrierException {
            Thread.sleep(40);
            figure.await();
        }
    }

    /** Whoever asks for news has them once there are any, or nothing after a while: a long poll. */
    static final class News {
        private final AtomicReference<CompletableFuture<String>> next =
            new AtomicReference<>(new CompletableFuture<>());

        void tell(String text) {
            next.getAndSet(new CompletableFuture<>()).complete(text);
        }

        String poll() {
            return next.get().copy().completeOnTimeout("", 700, TimeUnit.MILLISECONDS).join();
        }
    }

    static final class Lockers {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition bell = lock.newCondition();
        private final Deque<Integer> rung = new ArrayDeque<>();

        void ring(int locker) {
            lock.lock();
            try {
                rung.add(locker);
                bell.signal();
            } finally {
                lock.unlock();
            }
        }

        int answer() throws InterruptedException {
            lock.lock();
            try {
                while (rung.isEmpty()) {
                    bell.await(400, TimeUnit.MILLISECONDS);
                }
                return rung.remove();
            } finally {
                lock.unlock();
            }
        }
    }

    record Guest(Semaphore gate, DelayQueue<Skates> lent, ExecutorService kitchen, int number) implements Truth.Step {
        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            gate.acquire();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(15);
            gate.release();
            lent.add(new Skates(30 + number, System.nanoTime() + 500_000_000));
            kitchen.execute(() -> Truth.sleep(0.01));
            Thread.sleep(70);
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Skates> lent = new DelayQueue<>();
        int[] returned = {0}, answered = {0}, cooks = {0};
        Truth.repeat("clerk", () -> returned[0] += lent.take().size() > 0 ? 1 : 0);
        CyclicBarrier figure = new CyclicBarrier(3);
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("judge-" + i, new Judge(figure));
        }
        News news = new News();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("display-" + i, news::poll);
        }
        Lockers lockers = new Lockers();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("attendant-" + i, () -> answered[0] += lockers.answer() >= 0 ? 1 : 0);
        }
        Semaphore gate = new Semaphore(16, true);
        ExecutorService kitchen = new ThreadPoolExecutor(0, 40, 5, TimeUnit.SECONDS, new SynchronousQueue<>(),
            work -> Truth.daemon("cook-" + ++cooks[0], work));
        for (int i = 1; i <= 10; i++) {
            Truth.repeat("guest-" + i, new Guest(gate, lent, kitchen, i));
        }
        Truth.repeat("speaker", () -> {
            Thread.sleep(950);
            news.tell("the ice is cleaned");
            lockers.ring(7);
        });
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("%d skates returned, %d bells answered%n", returned[0], answered[0]);
        Truth.healthy("a busy rink, where whoever waits for long waits for the clock, for work or for news").object()
            .culprit().thread().victims().noShare().say();
    }
}
