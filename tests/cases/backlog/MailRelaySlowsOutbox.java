import java.util.LinkedList;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An outbox for text messages and mails: a bounded list by Lock and two Conditions. Eight order
 * threads add one message each per order, every other one a mail; two delivery threads take the
 * next message of whatever kind.
 *
 * Problem: SmtpRelay.deliver takes 24 to 36 ms, the text-message gateway 4 ms. Mails occupy both
 * delivery threads for most of the time, the outbox is full, orders wait for room.
 *
 * Truth: the condition, the mail relay. Measured: what each delivery thread does, from when to
 * when, and the orders' waits; both deliverers share an instant evenly.
 */
class MailRelaySlowsOutbox {
    public static void main(String[] args) throws InterruptedException {
        Outbox outbox = new Outbox(30);
        ThreadGroup group = new ThreadGroup("outbox");
        for (int i = 0; i < 8; i++) {
            int seed = i;
            launch(group, "order-" + i, () -> new OrderService(outbox, seed).acceptOrders());
        }
        for (int i = 0; i < 2; i++) {
            launch(group, "delivery-" + i, () -> new Delivery(outbox).deliverAll());
        }
        launch(group, "heartbeat", () -> {
            while (true) {
                Thread.sleep(200 + ThreadLocalRandom.current().nextInt(10));
            }
        });
        Thread.sleep((long) (Truth.seconds(args) * 1000));
        group.interrupt();
        Thread.sleep(200);
        Truth.of("SmtpRelay.deliver is slow and keeps both delivery threads busy; the outbox is "
                + "full and orders wait for room")
            .object("ConditionObject")
            .culprit("SmtpRelay.deliver", "Delivery.deliver", "Delivery.deliverAll")
            .thread("delivery-*")
            .victims("order-*")
            .share(outbox.diary.share(0), "the order threads' waiting for room in the outbox")
            .say();
    }

    interface Job {
        void run() throws InterruptedException;
    }

    private static void launch(ThreadGroup group, String name, Job job) {
        new Thread(group, () -> {
            try {
                job.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name).start();
    }
}

class Outbox {
    static final class Message {
        final boolean mail;
        final String text;

        Message(boolean mail, String text) {
            this.mail = mail;
            this.text = text;
        }
    }

    final Truth.Diary diary = new Truth.Diary();
    private final Lock lock = new ReentrantLock();
    private final Condition room = lock.newCondition(), content = lock.newCondition();
    private final LinkedList<Message> messages = new LinkedList<>();
    private final int capacity;

    Outbox(int capacity) {
        this.capacity = capacity;
    }

    void add(Message message) throws InterruptedException {
        lock.lock();
        try {
            awaitRoom();
            messages.addLast(message);
            content.signal();
        } finally {
            lock.unlock();
        }
    }

    private void awaitRoom() throws InterruptedException {
        long asked = System.nanoTime();
        while (messages.size() >= capacity) {
            room.await();
        }
        diary.waited(asked, System.nanoTime());
    }

    Message next() throws InterruptedException {
        lock.lock();
        try {
            while (messages.isEmpty()) {
                content.await();
            }
            room.signal();
            return messages.removeFirst();
        } finally {
            lock.unlock();
        }
    }
}

class Delivery {
    private final Outbox outbox;
    private final SmtpRelay relay = new SmtpRelay();
    private final SmsGateway gateway = new SmsGateway();

    Delivery(Outbox outbox) {
        this.outbox = outbox;
    }

    void deliverAll() throws InterruptedException {
        while (true) {
            deliver(outbox.next());
        }
    }

    private void deliver(Outbox.Message message) throws InterruptedException {
        long from = System.nanoTime();
        if (message.mail) {
            relay.deliver(message.text);
        } else {
            gateway.push(message.text);
        }
        outbox.diary.held(message.mail ? 0 : 1, from, System.nanoTime());
    }
}

class SmtpRelay {
    private final Random random = new Random(6);

    void deliver(String text) throws InterruptedException {
        Thread.sleep(24 + random.nextInt(12) + text.length() % 2);
    }
}

class SmsGateway {
    void push(String text) throws InterruptedException {
        Thread.sleep(4 + text.length() % 2);
    }
}

class OrderService {
    private final Outbox outbox;
    private final Random random;

    OrderService(Outbox outbox, int seed) {
        this.outbox = outbox;
        this.random = new Random(seed);
    }

    void acceptOrders() throws InterruptedException {
        for (int order = 0; ; order++) {
            confirm(order);
            Thread.sleep(15 + random.nextInt(30));
        }
    }

    private void confirm(int order) throws InterruptedException {
        outbox.add(new Outbox.Message(order % 2 == 0, "your order " + order));
    }
}
