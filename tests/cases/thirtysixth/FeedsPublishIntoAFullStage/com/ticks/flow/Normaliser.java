package com.ticks.flow;

import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;

/** Makes quotes of ticks. */
public final class Normaliser extends SubmissionPublisher<Quote> implements Flow.Processor<Tick, Quote> {
    private Flow.Subscription upstream;

    public Normaliser(Executor executor, int capacity) {
        super(executor, capacity);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        upstream = subscription;
        upstream.request(1);
    }

    @Override
    public void onNext(Tick tick) {
        submit(new Quote(tick.feed(), tick.time() % 1000 / 10.0));
        upstream.request(1);
    }

    @Override
    public void onError(Throwable error) {
        closeExceptionally(error);
    }

    @Override
    public void onComplete() {
        close();
    }
}
