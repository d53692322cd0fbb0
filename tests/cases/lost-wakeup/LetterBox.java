import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * Each of four branches has an out-box with one clerk, who waits on the box until told and then
 * empties it. The clerk waits without looking whether something is there already; who posts while
 * the clerk is at the franking machine notifies nobody. Senders wait for their letter's receipt
 * before they post the next, so nobody ever notifies again.
 *
 * Problem: OutBox.post counts on a clerk who is waiting already; the wake-up is lost. Truth:
 * stuck; clerks wait on OutBoxes, senders on Letters. Measured: no share; HANG is said when
 * nothing was franked for a second.
 */
final class LetterBox {
    static volatile long franked;

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("letters were posted while the clerk was not waiting; the "
            + "clerk waits without looking into the box, and nobody will notify it again")
            .object("OutBox", "Letter")
            .culprit("OutBox.post", "OutBox.ring")
            .thread("sender-*").victims("clerk-*", "sender-*").noShare(),
            Truth.seconds(arguments));
        new Courier().start();
        for (int i = 1; i <= 4; i++) {
            OutBox box = new OutBox();
            new Thread(new Clerk(box), "clerk-" + i).start();
            new Thread(new Sender(box, i), "sender-" + i).start();
        }
        long seen = -1;
        while (seen != franked) {
            seen = franked;
            Thread.sleep(1000);
        }
        Truth.hangs();
    }

    static final class Letter {
        private boolean stamped;

        synchronized void stamp() {
            stamped = true;
            notifyAll();
        }

        synchronized void awaitStamp() throws InterruptedException {
            while (!stamped) {
                wait();
            }
        }
    }

    static final class OutBox {
        private final Deque<Letter> letters = new ArrayDeque<>();

        synchronized void post(Letter letter) {
            letters.add(letter);
            ring();
        }

        private void ring() {
            notify();
        }

        /** The mistake's other half: no look at the letters before the wait. */
        synchronized void awaitRing() throws InterruptedException {
            wait();
        }

        synchronized Letter next() {
            return letters.poll();
        }
    }

    record Clerk(OutBox box) implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    box.awaitRing();
                    empty();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void empty() throws InterruptedException {
            for (Letter letter = box.next(); letter != null; letter = box.next()) {
                Thread.sleep(4);
                letter.stamp();
                franked = System.nanoTime();
                Thread.sleep(2); // puts it away, and does not see who posts meanwhile
            }
            Thread.sleep(1);
        }
    }

    static final class Sender implements Runnable {
        private final OutBox box;
        private final Random random;
        private int letters;

        Sender(OutBox box, int number) {
            this.box = box;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(writing());
                    send(new Letter());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        /** At first slow writers, so that the clerk is back in time; then a quick one. */
        private int writing() {
            return ++letters < 60 ? 20 + random.nextInt(20) : 2;
        }

        private void send(Letter letter) throws InterruptedException {
            box.post(letter);
            letter.awaitStamp();
        }
    }

    /** Comes by every half a second; nobody waits for him. */
    static final class Courier extends Thread {
        Courier() {
            super("courier");
        }

        @Override
        public synchronized void run() {
            try {
                while (true) {
                    wait(500);
                }
            } catch (InterruptedException exception) {
                interrupt();
            }
        }
    }
}
