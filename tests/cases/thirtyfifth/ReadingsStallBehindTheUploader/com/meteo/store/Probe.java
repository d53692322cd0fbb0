package com.meteo.store;

/** Is told what was done from when to when. */
public interface Probe {
    void did(int what, long from, long to);
}
