package com.ticks.flow;

/** A tick in everybody's terms. */
public record Quote(int instrument, double price) {
}
