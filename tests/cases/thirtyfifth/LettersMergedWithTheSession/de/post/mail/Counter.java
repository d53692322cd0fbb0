package de.post.mail;

import de.post.lease.Register;

/** Looks up an address at a time. */
public final class Counter {
    private final Register register;

    public Counter(Register register) {
        this.register = register;
    }

    public int serve(int person) throws InterruptedException {
        return register.use(1, session -> session.addressOf(person).length());
    }
}
