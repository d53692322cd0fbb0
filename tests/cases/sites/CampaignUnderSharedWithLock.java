import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A service for vouchers. Everybody who touches the state goes through Guard.withLock(Runnable),
 * so that the lock is taken and given back in one place of the code, whoever asks for it:
 * redeeming, issuing, statistics, the campaigns.
 *
 * Problem: CampaignService.recompute runs for 300 ms in it, once or twice a second; all others
 * run for microseconds, but statistics for 8 ms. Guard.withLock is innocent.
 *
 * Truth: the ReentrantLock and recompute, which a look at the lock's own site cannot tell from
 * others. Measured: the guard is told who asks, and notes holds by that; waits of the shop's
 * threads.
 */
class CampaignUnderSharedWithLock {
    enum Who { CAMPAIGN, STATISTICS, SHOP }

    static class Guard {
        private final ReentrantLock lock = new ReentrantLock();
        final Truth.Diary diary = new Truth.Diary();

        void withLock(Who who, Runnable action) {
            long asked = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            if (who == Who.SHOP) {
                diary.waited(asked, got);
            }
            try {
                action.run();
            } finally {
                diary.held(who.ordinal(), got, System.nanoTime());
                lock.unlock();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Guard guard = new Guard();
        VoucherService vouchers = new VoucherService(guard);
        CampaignService campaigns = new CampaignService(guard, vouchers);
        List<Callable<Void>> roles = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Random random = new Random(i);
            roles.add(named("shop-" + i, () -> {
                vouchers.redeem(random.nextInt(1000));
                if (random.nextInt(3) == 0) {
                    vouchers.issue(random.nextInt(1000));
                }
                TimeUnit.MILLISECONDS.sleep(4 + random.nextInt(12));
            }));
        }
        roles.add(named("campaigns", () -> {
            campaigns.recompute();
            TimeUnit.MILLISECONDS.sleep(450);
        }));
        roles.add(named("statistics", () -> {
            vouchers.statistics();
            TimeUnit.MILLISECONDS.sleep(90);
        }));
        ExecutorService pool = Executors.newFixedThreadPool(roles.size() + 2, body -> {
            Thread thread = new Thread(body);
            thread.setDaemon(true);
            return thread;
        });
        pool.invokeAll(roles, (long) (Truth.seconds(args) * 1000), TimeUnit.MILLISECONDS);
        Truth.of("CampaignService.recompute computes for 300 ms under the lock that all vouchers "
                + "share")
            .object("ReentrantLock")
            .culprit("CampaignService.recompute", "CampaignService.score",
                "CampaignService.lambda$recompute$*")
            .thread("campaigns")
            .victims("shop-*")
            .share(guard.diary.share(Who.CAMPAIGN.ordinal()),
                "the shop threads' waiting for the lock")
            .say();
    }

    interface Step {
        void run() throws InterruptedException;
    }

    static Callable<Void> named(String name, Step step) {
        return () -> {
            Thread.currentThread().setName(name);
            while (true) {
                step.run();
            }
        };
    }
}

class VoucherService {
    private final CampaignUnderSharedWithLock.Guard guard;
    final Map<Integer, Integer> open = new HashMap<>();

    VoucherService(CampaignUnderSharedWithLock.Guard guard) {
        this.guard = guard;
    }

    void redeem(int voucher) {
        guard.withLock(CampaignUnderSharedWithLock.Who.SHOP, () -> open.remove(voucher));
    }

    void issue(int voucher) {
        guard.withLock(CampaignUnderSharedWithLock.Who.SHOP,
            () -> open.merge(voucher, 1, Integer::sum));
    }

    void statistics() {
        guard.withLock(CampaignUnderSharedWithLock.Who.STATISTICS, () -> {
            open.values().stream().mapToInt(Integer::intValue).sum();
            Truth.sleep(0.008);
        });
    }
}

class CampaignService {
    private final CampaignUnderSharedWithLock.Guard guard;
    private final VoucherService vouchers;

    CampaignService(CampaignUnderSharedWithLock.Guard guard, VoucherService vouchers) {
        this.guard = guard;
        this.vouchers = vouchers;
    }

    void recompute() {
        guard.withLock(CampaignUnderSharedWithLock.Who.CAMPAIGN, () -> {
            for (int segment = 0; segment < 6; segment++) {
                score(segment);
            }
        });
    }

    private void score(int segment) {
        vouchers.open.merge(segment, segment, Math::max);
        Truth.sleep(0.05); // the model lives elsewhere
    }
}
