package com.ticks.flow;

/** What a feed says. */
public record Tick(int feed, long time) {
}
