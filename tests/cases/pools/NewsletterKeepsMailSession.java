import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sessions to a mail relay: a Semaphore counts them, a list keeps them. Six account threads send
 * a password mail now and then (6 ms with a session), four invoice threads an invoice (10 ms).
 *
 * Problem: Newsletter.sendIssue leases a session and keeps it while it composes 20 letters, 20 ms
 * each; three newsletters are under way, and there are but three sessions.
 *
 * Truth: the Semaphore, Newsletter.sendIssue. Measured: who leases a session from when to when,
 * and the waits of account and invoice threads, evenly shared among those who lease one at the
 * instant.
 */
class NewsletterKeepsMailSession {
    public static void main(String[] args) throws InterruptedException {
        MailSessions sessions = new MailSessions(3);
        CountDownLatch closing = new CountDownLatch(1);
        AtomicInteger names = new AtomicInteger();
        ThreadFactory letters = body -> new Thread(body, "newsletter-" + names.incrementAndGet());
        for (int i = 0; i < 3; i++) {
            start(letters.newThread(new Newsletter(sessions, closing)));
        }
        for (int i = 1; i <= 6; i++) {
            start(new Thread(new PasswordMails(sessions, closing, i), "account-" + i));
        }
        for (int i = 1; i <= 4; i++) {
            start(new Thread(new Invoices(sessions, closing, i), "invoice-" + i));
        }
        Truth.sleep(Truth.seconds(args));
        closing.countDown();
        Truth.of("Newsletter.sendIssue keeps a mail session for 400 ms while it composes "
                + "letters; three newsletters keep all of the three sessions from passwords and "
                + "invoices")
            .object("Semaphore")
            .culprit("Newsletter.sendIssue", "Newsletter.compose")
            .thread("newsletter-*")
            .victims("account-*", "invoice-*")
            .share(sessions.diary.share(0), "the account and invoice threads' waiting")
            .say();
    }

    private static void start(Thread thread) {
        thread.setDaemon(true);
        thread.start();
    }
}

class MailSessions {
    final Truth.Diary diary = new Truth.Diary();
    private final Semaphore permits;
    private final Queue<Session> idle = new ConcurrentLinkedQueue<>();

    static final class Session implements AutoCloseable {
        private final MailSessions home;
        private long since;
        private int who;

        Session(MailSessions home) {
            this.home = home;
        }

        void send(int millis) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
        }

        @Override
        public void close() {
            home.release(this);
        }
    }

    MailSessions(int size) {
        permits = new Semaphore(size);
        for (int i = 0; i < size; i++) {
            idle.add(new Session(this));
        }
    }

    Session lease(int who) throws InterruptedException {
        long asked = System.nanoTime();
        permits.acquire();
        Session session = idle.remove();
        session.since = System.nanoTime();
        session.who = who;
        if (who != 0) {
            diary.waited(asked, session.since);
        }
        return session;
    }

    private void release(Session session) {
        diary.held(session.who, session.since, System.nanoTime());
        idle.add(session);
        permits.release();
    }
}

abstract class Sender implements Runnable {
    final MailSessions sessions;
    private final CountDownLatch closing;

    Sender(MailSessions sessions, CountDownLatch closing) {
        this.sessions = sessions;
        this.closing = closing;
    }

    /** Sends something, and how long to rest after it, in milliseconds. */
    abstract int send() throws InterruptedException;

    @Override
    public void run() {
        try {
            int rest = 0;
            while (!closing.await(rest, TimeUnit.MILLISECONDS)) {
                rest = send();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class Newsletter extends Sender {
    Newsletter(MailSessions sessions, CountDownLatch closing) {
        super(sessions, closing);
    }

    @Override
    int send() throws InterruptedException {
        sendIssue();
        return 50;
    }

    private void sendIssue() throws InterruptedException {
        try (MailSessions.Session session = sessions.lease(0)) {
            for (int letter = 0; letter < 20; letter++) {
                session.send(compose(letter));
            }
        }
    }

    private int compose(int letter) throws InterruptedException {
        Thread.sleep(19);
        return letter % 2;
    }
}

class PasswordMails extends Sender {
    private final Random random;

    PasswordMails(MailSessions sessions, CountDownLatch closing, int seed) {
        super(sessions, closing);
        random = new Random(seed);
    }

    @Override
    int send() throws InterruptedException {
        try (MailSessions.Session session = sessions.lease(1)) {
            session.send(6);
        }
        return 20 + random.nextInt(60);
    }
}

class Invoices extends Sender {
    private final Random random;

    Invoices(MailSessions sessions, CountDownLatch closing, int seed) {
        super(sessions, closing);
        random = new Random(90 + seed);
    }

    @Override
    int send() throws InterruptedException {
        String invoice = print(random.nextInt(9999));
        try (MailSessions.Session session = sessions.lease(1)) {
            session.send(8 + invoice.length() % 4);
        }
        return 40 + random.nextInt(40);
    }

    private static String print(int number) {
        return "Invoice " + number;
    }
}
