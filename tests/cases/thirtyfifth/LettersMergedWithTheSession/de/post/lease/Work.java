package de.post.lease;

/** What is done with a session. */
public interface Work<T> {
    T with(Session session) throws InterruptedException;
}
