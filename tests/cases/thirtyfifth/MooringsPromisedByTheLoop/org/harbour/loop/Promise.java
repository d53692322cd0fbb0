package org.harbour.loop;

import java.util.concurrent.locks.LockSupport;

/** A value that one thread waits for. */
public final class Promise<T> {
    private final Thread waiter = Thread.currentThread();
    private volatile T value;

    public void keep(T kept) {
        value = kept;
        LockSupport.unpark(waiter);
    }

    public T get() {
        while (value == null) {
            LockSupport.park(this);
        }
        return value;
    }
}
