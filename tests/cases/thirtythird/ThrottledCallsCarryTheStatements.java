import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.ConcurrencyThrottleInterceptor;

/**
 * A bank's branch service lets three calls in at a time, by Spring's ConcurrencyThrottleInterceptor on a proxy.
 * Eight counters ask for balances; three machines print statements.
 *
 * NEEDS: libspring-aop-java libspring-core-java libspring-beans-java libcommons-logging-java libaopalliance-java
 * (spring3-aop.jar spring3-core.jar spring3-beans.jar commons-logging.jar aopalliance.jar)
 *
 * Problem: Archive.fetch, 38 ms, of which each statement needs one, is within the throttled call; a balance takes
 * Accounts.read, 3 ms. Truth: counters wait for a monitor (Object) because of Archive.fetch. Measured: the part of
 * the counters' waiting to be let in during which statements are fetched, evenly shared with those inside.
 */
final class ThrottledCallsCarryTheStatements {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = ThreadLocal.withInitial(System::nanoTime);

    interface Branch {
        int balance(int account);

        int statement(int account);
    }

    static final class Archive {
        int fetch(int account) {
            long from = System.nanoTime();
            Truth.sleep(0.038);
            DIARY.held(0, from, System.nanoTime());
            return account;
        }
    }

    static final class Accounts {
        int read(int account) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return account;
        }
    }

    static class PlainBranch implements Branch {
        private final Accounts accounts = new Accounts();
        private final Archive archive = new Archive();

        @Override
        public int balance(int account) {
            DIARY.waited(ASKED.get(), System.nanoTime());
            return accounts.read(account);
        }

        @Override
        public int statement(int account) {
            DIARY.waited(ASKED.get(), System.nanoTime());
            return accounts.read(account) + archive.fetch(account);
        }
    }

    public static void main(String[] arguments) {
        ConcurrencyThrottleInterceptor throttle = new ConcurrencyThrottleInterceptor();
        throttle.setConcurrencyLimit(3);
        ProxyFactory factory = new ProxyFactory(Branch.class, throttle);
        factory.setTarget(new PlainBranch());
        Branch branch = (Branch) factory.getProxy();
        BlockingQueue<Integer> receipts = new ArrayBlockingQueue<>(500);
        Truth.repeat("receipt-writer", () -> {
            receipts.take();
            Thread.sleep(1);
        });
        for (int i = 1; i <= 8; i++) {
            int own = i;
            Truth.repeat("counter-" + i, () -> {
                ASKED.set(System.nanoTime());
                receipts.offer(branch.balance(own));
                Thread.sleep(15);
            });
        }
        for (int i = 1; i <= 3; i++) {
            Random random = new Random(i);
            Truth.repeat("machine-" + i, () -> {
                ASKED.set(System.nanoTime());
                branch.statement(random.nextInt(100));
                Thread.sleep(20 + random.nextInt(40));
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("statements are fetched within a throttled call").object("Object", "ConcurrencyThrottleInterceptor")
            .culprit("Archive.fetch").thread("machine-*").victims("counter-*")
            .share(DIARY.share(0), "the waiting to be let in").say();
    }
}
