package de.lager.partner;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/** The contract allows two calls at a time. */
public final class PartnerGateway {
    /** Is told who had a permit, since when it was asked for. */
    public interface Probe {
        void called(int who, long asked, long from, long to);
    }

    private final Semaphore permits = new Semaphore(2);
    private final Probe probe;

    public PartnerGateway(Probe probe) {
        this.probe = probe;
    }

    public <T> T call(int who, Callable<T> request) throws Exception {
        long asked = System.nanoTime();
        permits.acquire();
        long from = System.nanoTime();
        try {
            return request.call();
        } finally {
            probe.called(who, asked, from, System.nanoTime());
            permits.release();
        }
    }
}
