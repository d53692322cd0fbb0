package org.harbour.port;

/** Is told what the loop did from when to when. */
public interface Probe {
    void did(int what, long from, long to);
}
