import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three desks have offers priced by an executor of one thread, which ends when it had nothing to do for 20 ms.
 *
 * Problem: the factory of its threads gives eight at most, and never counts one back that has ended. Once they are
 * used up it answers null; the executor then keeps what it was given, and has nobody who would do it. Truth: stuck;
 * the desks wait for their FutureTask in Desk.offer, and there is no pricing thread any more. Measured: no share; HANG
 * is said when all desks have waited for half a second.
 */
final class QuotaOfThreadsIsUsedUp {
    static final class Quota implements ThreadFactory {
        private final AtomicInteger given = new AtomicInteger();

        @Override
        public Thread newThread(Runnable work) {
            int number = given.incrementAndGet();
            return number > 8 ? null : Truth.daemon("pricing-" + number, work);
        }
    }

    record Desk(ThreadPoolExecutor pricing) {
        int offer(int goods) throws Exception {
            return pricing.submit(() -> price(goods)).get();
        }

        private int price(int goods) {
            Truth.sleep(0.004);
            return goods * 7;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ThreadPoolExecutor pricing = new ThreadPoolExecutor(1, 1, 20, TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(), new Quota());
        pricing.allowCoreThreadTimeOut(true);
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int goods = i;
            Desk desk = new Desk(pricing);
            desks.add(Truth.repeat("desk-" + i, () -> {
                desk.offer(goods);
                Thread.sleep(150 + 10 * goods);
            }));
        }
        Truth.hangsOnce(desks);
        Truth.sayAndHalt(Truth.stuck("a factory's quota is used up, and no thread prices any more")
            .object("FutureTask").culprit("Desk.offer").thread("pricing-*").victims("desk-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}
