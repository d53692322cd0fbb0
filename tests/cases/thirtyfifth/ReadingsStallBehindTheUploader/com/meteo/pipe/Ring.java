package com.meteo.pipe;

/** A ring of a few places: who comes to a full one waits, as does who comes to an empty one. */
public final class Ring<T> {
    private final Object[] places;
    private int head, size;

    public Ring(int capacity) {
        places = new Object[capacity];
    }

    public synchronized void put(T item) throws InterruptedException {
        while (size == places.length) {
            wait();
        }
        places[(head + size++) % places.length] = item;
        notifyAll();
    }

    @SuppressWarnings("unchecked")
    public synchronized T take() throws InterruptedException {
        while (size == 0) {
            wait();
        }
        T item = (T) places[head];
        head = (head + 1) % places.length;
        size--;
        notifyAll();
        return item;
    }
}
