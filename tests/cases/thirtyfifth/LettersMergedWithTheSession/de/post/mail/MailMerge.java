package de.post.mail;

import de.post.lease.Register;
import de.post.lease.Session;

/** A letter for each of some people. */
public final class MailMerge {
    private final Register register;
    private long words;

    public MailMerge(Register register) {
        this.register = register;
    }

    public void run(int first) throws InterruptedException {
        register.use(0, session -> letters(session, first));
    }

    private int letters(Session session, int first) throws InterruptedException {
        int pages = 0;
        for (int person = first; person < first + 3; person++) {
            pages += compose(session.addressOf(person));
        }
        return pages;
    }

    private int compose(String address) throws InterruptedException {
        for (int paragraph = 0; paragraph < 4; paragraph++) {
            Thread.sleep(3);
            words += address.length() * 20L;
        }
        return (int) (words % 3);
    }
}
