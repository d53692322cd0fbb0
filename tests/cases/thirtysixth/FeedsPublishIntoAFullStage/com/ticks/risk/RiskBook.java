package com.ticks.risk;

import com.ticks.flow.Quote;

/** What all positions are worth. */
public final class RiskBook {
    private final double[] positions = new double[8];
    private double worth;

    public void apply(Quote quote) {
        positions[quote.instrument()] += quote.price() % 3;
        revalue(quote.price());
    }

    private void revalue(double price) {
        try {
            for (double position : positions) {
                worth += position * price;
            }
            Thread.sleep(5);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
