package com.meteo.pipe;

/** What comes after a stage. */
public interface Sink<T> {
    void accept(T item) throws InterruptedException;
}
