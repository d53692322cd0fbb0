package de.lager.stock;

import de.lager.partner.PartnerGateway;
import java.util.concurrent.locks.ReentrantLock;

/** What there is in a depot, not older than a moment. */
public final class StockPages {
    /** Is told who waited for a depot, and until when it was refreshed. */
    public interface Probe {
        void looked(int depot, long asked, long from, long refreshed);
    }

    private static final class Depot {
        private final ReentrantLock lock = new ReentrantLock();
        private long since;
        private int stock;
    }

    private static final long FRESH = 25_000_000;
    private final PartnerGateway gateway;
    private final Depot[] depots;
    private final Probe probe;

    public StockPages(PartnerGateway gateway, int count, Probe probe) {
        this.gateway = gateway;
        this.probe = probe;
        depots = new Depot[count];
        for (int i = 0; i < count; i++) {
            depots[i] = new Depot();
        }
    }

    public int stock(int number) throws Exception {
        Depot depot = depots[number];
        long asked = System.nanoTime();
        depot.lock.lock();
        long from = System.nanoTime(), refreshed = 0;
        try {
            if (from - depot.since > FRESH) {
                depot.stock = gateway.call(1, () -> ask(number));
                depot.since = refreshed = System.nanoTime();
            }
            return depot.stock;
        } finally {
            probe.looked(number, asked, from, refreshed);
            depot.lock.unlock();
        }
    }

    private int ask(int depot) throws InterruptedException {
        Thread.sleep(1);
        return depot * 12;
    }
}
