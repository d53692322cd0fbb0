package org.harbour.loop;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One thread for everything: what was posted, in its order, and what is due. */
public final class EventLoop implements Runnable {
    private record Timer(long due, long everyNanos, Runnable work) {
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::due));

    public void post(Runnable work) {
        lock.lock();
        try {
            posted.add(work);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    public void every(long millis, Runnable work) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            timers.add(new Timer(System.nanoTime() + nanos, nanos, work));
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                next().run();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private Runnable next() throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                Timer timer = timers.peek();
                long left = timer == null ? Long.MAX_VALUE : timer.due() - System.nanoTime();
                if (left <= 0) {
                    timers.poll();
                    timers.add(new Timer(System.nanoTime() + timer.everyNanos(), timer.everyNanos(), timer.work()));
                    return timer.work();
                }
                if (!posted.isEmpty()) {
                    return posted.poll();
                }
                arrived.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
