package com.meteo.pipe;

import java.util.function.UnaryOperator;

/** Takes from one ring, does its work and puts into the next. */
public final class Stage<T> implements Runnable {
    private final Ring<T> in;
    private final Sink<T> out;
    private final UnaryOperator<T> work;

    public Stage(Ring<T> in, UnaryOperator<T> work, Sink<T> out) {
        this.in = in;
        this.work = work;
        this.out = out;
    }

    @Override
    public void run() {
        try {
            while (true) {
                out.accept(work.apply(in.take()));
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
