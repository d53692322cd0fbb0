package de.post.lease;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Sessions are lent; who waits looks every 20 ms whether the pool has been closed meanwhile. */
public final class LeasePool {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final ArrayDeque<Session> free = new ArrayDeque<>();
    private final Map<Session, Long> lent = new HashMap<>();
    private volatile boolean closed;

    public LeasePool(int size) {
        for (int i = 1; i <= size; i++) {
            free.add(new Session(i));
        }
    }

    public Session lease() throws InterruptedException {
        lock.lock();
        try {
            while (free.isEmpty()) {
                if (closed) {
                    throw new IllegalStateException("closed");
                }
                returned.await(20, TimeUnit.MILLISECONDS);
            }
            Session session = free.poll();
            lent.put(session, System.nanoTime());
            return session;
        } finally {
            lock.unlock();
        }
    }

    public void giveBack(Session session) {
        lock.lock();
        try {
            lent.remove(session);
            free.push(session);
            returned.signal();
        } finally {
            lock.unlock();
        }
    }

    /** How many have been lent for longer than so. */
    public int overdue(long nanos) {
        lock.lock();
        try {
            long now = System.nanoTime();
            return (int) lent.values().stream().filter(since -> now - since > nanos).count();
        } finally {
            lock.unlock();
        }
    }

    public void close() {
        closed = true;
    }
}
