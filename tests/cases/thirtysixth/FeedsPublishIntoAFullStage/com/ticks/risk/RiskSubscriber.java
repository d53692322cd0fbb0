package com.ticks.risk;

import com.ticks.flow.Quote;
import java.util.concurrent.Flow;

/** Brings quotes to the book. */
public final class RiskSubscriber implements Flow.Subscriber<Quote> {
    /** Is told from when to when the book was at work. */
    public interface Probe {
        void busy(int who, long from, long to);
    }

    private final RiskBook book;
    private final Probe probe;
    private Flow.Subscription subscription;

    public RiskSubscriber(RiskBook book, Probe probe) {
        this.book = book;
        this.probe = probe;
    }

    @Override
    public void onSubscribe(Flow.Subscription own) {
        subscription = own;
        own.request(1);
    }

    @Override
    public void onNext(Quote quote) {
        long from = System.nanoTime();
        book.apply(quote);
        probe.busy(0, from, System.nanoTime());
        subscription.request(1);
    }

    @Override
    public void onError(Throwable error) {
        throw new IllegalStateException(error);
    }

    @Override
    public void onComplete() {
        subscription = null;
    }
}
