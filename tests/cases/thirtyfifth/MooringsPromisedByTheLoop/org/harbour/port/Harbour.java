package org.harbour.port;

import org.harbour.loop.EventLoop;
import org.harbour.loop.Promise;

/** Gives berths to ships; all of it on the loop. */
public final class Harbour {
    private final EventLoop loop;
    private final TideTable tides;
    private final Probe probe;
    private int next;

    public Harbour(EventLoop loop, Probe probe) {
        this.loop = loop;
        this.probe = probe;
        tides = new TideTable(probe);
        loop.every(30, () -> tides.extrapolate());
    }

    public int moor(int ship) {
        Promise<Integer> berth = new Promise<>();
        loop.post(() -> berth.keep(assign(ship)));
        return berth.get();
    }

    private int assign(int ship) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < 300_000) {
            next += tides.height(ship) > 0 ? 1 : 2;
        }
        probe.did(1, from, System.nanoTime());
        return next % 12;
    }
}
