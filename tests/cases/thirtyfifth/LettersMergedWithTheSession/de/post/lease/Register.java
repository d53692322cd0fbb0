package de.post.lease;

/** Lends a session to each piece of work. */
public final class Register {
    /** Is told who waited and had a session, from when to when. */
    public interface Probe {
        void leased(int who, long asked, long from, long to);
    }

    private final LeasePool pool;
    private final Probe probe;

    public Register(LeasePool pool, Probe probe) {
        this.pool = pool;
        this.probe = probe;
    }

    public <T> T use(int who, Work<T> work) throws InterruptedException {
        long asked = System.nanoTime();
        Session session = pool.lease();
        long from = System.nanoTime();
        try {
            return work.with(session);
        } finally {
            probe.leased(who, asked, from, System.nanoTime());
            pool.giveBack(session);
        }
    }
}
