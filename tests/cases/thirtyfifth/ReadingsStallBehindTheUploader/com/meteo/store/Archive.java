package com.meteo.store;

/** Readings of a day. */
public final class Archive {
    private final Probe probe;
    private final Uploader uploader = new Uploader();
    private double sum;

    public Archive(Probe probe) {
        this.probe = probe;
    }

    public void keep(double[] reading) {
        long from = System.nanoTime();
        index(reading);
        long then = System.nanoTime();
        probe.did(1, from, then);
        uploader.push(reading);
        probe.did(0, then, System.nanoTime());
    }

    private void index(double[] reading) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < 1_500_000) {
            for (double value : reading) {
                sum += Math.sqrt(value);
            }
        }
    }
}
