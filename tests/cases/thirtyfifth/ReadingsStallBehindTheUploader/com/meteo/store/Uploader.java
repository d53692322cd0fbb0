package com.meteo.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends readings to a server that is far away: five packets, each confirmed after a while. */
final class Uploader {
    private int confirmed;

    void push(double[] reading) {
        for (int packet = 0; packet < 5; packet++) {
            awaitConfirmation(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(1500));
            confirmed += reading.length;
        }
    }

    private static void awaitConfirmation(long until) {
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
