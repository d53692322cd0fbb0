package org.harbour.port;

/** Heights of the next days, from harmonic constituents. */
public final class TideTable {
    private final double[] heights = new double[4000];
    private final Probe probe;

    public TideTable(Probe probe) {
        this.probe = probe;
    }

    public void extrapolate() {
        long from = System.nanoTime();
        for (int round = 0; System.nanoTime() - from < 16_000_000; round++) {
            for (int i = 0; i < heights.length; i++) {
                heights[i] = constituent(i, round);
            }
        }
        probe.did(0, from, System.nanoTime());
    }

    private double constituent(int hour, int number) {
        return 2.1 * Math.cos(0.5 * hour + number) + heights[hour] * 0.01;
    }

    double height(int hour) {
        return heights[hour % heights.length];
    }
}
