import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Five tills share four card terminals, and two gift desks share two, each kept in a queue of its own.
 *
 * Problem: once 200 have paid, Refunds.refund takes a terminal of the tills every 0.4 s and puts it into the gift
 * desks' queue. Truth: stuck; tills wait for ever at an ArrayBlockingQueue, to which no terminal comes back. Measured:
 * no share; HANG is said when all tills have waited for half a second.
 */
final class TerminalsGoToTheWrongDesk {
    static final AtomicInteger PAID = new AtomicInteger();

    static final class Terminal {
        private int paid;

        void pay(double seconds) {
            Truth.sleep(seconds);
            paid++;
            PAID.incrementAndGet();
        }
    }

    record Till(BlockingQueue<Terminal> terminals) {
        void sell() throws InterruptedException {
            Terminal terminal = terminals.take();
            try {
                terminal.pay(0.004);
            } finally {
                terminals.put(terminal);
            }
        }
    }

    record GiftDesk(BlockingQueue<Terminal> terminals) {
        void redeem() throws InterruptedException {
            Terminal terminal = terminals.take();
            try {
                terminal.pay(0.003);
            } finally {
                terminals.put(terminal);
            }
        }
    }

    static final class Refunds {
        private final BlockingQueue<Terminal> ofTills, ofGifts;

        Refunds(BlockingQueue<Terminal> ofTills, BlockingQueue<Terminal> ofGifts) {
            this.ofTills = ofTills;
            this.ofGifts = ofGifts;
        }

        void refund() throws InterruptedException {
            Terminal terminal = ofTills.take();
            terminal.pay(0.005);
            ofGifts.put(terminal);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Terminal> ofTills = new ArrayBlockingQueue<>(12), ofGifts = new ArrayBlockingQueue<>(12);
        for (int i = 0; i < 4; i++) {
            ofTills.add(new Terminal());
        }
        ofGifts.add(new Terminal());
        ofGifts.add(new Terminal());
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            Till till = new Till(ofTills);
            threads.add(Truth.repeat("till-" + i, () -> {
                till.sell();
                Thread.sleep(10);
            }));
        }
        for (int i = 1; i <= 2; i++) {
            GiftDesk desk = new GiftDesk(ofGifts);
            Truth.repeat("gift-" + i, () -> {
                desk.redeem();
                Thread.sleep(15);
            });
        }
        Refunds refunds = new Refunds(ofTills, ofGifts);
        threads.add(Truth.repeat("refunds", () -> {
            Thread.sleep(PAID.get() < 200 ? 50 : 400);
            if (PAID.get() >= 200) {
                refunds.refund();
            }
        }));
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("terminals of the tills are put into the queue of the gift desks")
            .object("ArrayBlockingQueue", "ConditionObject").culprit("Refunds.refund").thread("refunds")
            .victims("till-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}
