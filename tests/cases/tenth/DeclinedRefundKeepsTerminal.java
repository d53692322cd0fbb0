import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Eight cash desks share five card terminals: a desk takes one, sells or refunds, and puts it back.
 *
 * Problem: Desk.refund does not put its terminal back when the bank declines, as it does since a second after the
 * start. Five declined refunds later there is no terminal. Truth: stuck, desks wait for the queue of terminals because
 * of Desk.refund.
 */
final class DeclinedRefundKeepsTerminal {
    record Terminal(int number) {
    }

    static final class Declined extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final class Terminals {
        private final BlockingQueue<Terminal> idle = new LinkedBlockingQueue<>();

        Terminals(int count) {
            for (int number = 1; number <= count; number++) {
                idle.add(new Terminal(number));
            }
        }

        Terminal acquire() throws InterruptedException {
            return idle.take();
        }

        void release(Terminal terminal) {
            idle.add(terminal);
        }
    }

    static final class Desk implements Runnable {
        static volatile boolean bankIsStrict;
        private final Terminals terminals;
        private int customers;

        Desk(Terminals terminals, int first) {
            this.terminals = terminals;
            customers = first;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    customers++;
                    try {
                        if (customers % 4 == 0) {
                            refund();
                        } else {
                            sell();
                        }
                    } catch (Declined exception) {
                        Thread.sleep(1);
                    }
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void sell() throws InterruptedException {
            Terminal terminal = terminals.acquire();
            try {
                Thread.sleep(4);
            } finally {
                terminals.release(terminal);
            }
        }

        private void refund() throws InterruptedException {
            Terminal terminal = terminals.acquire();
            Thread.sleep(6);
            if (bankIsStrict && customers % 12 == 0) {
                throw new Declined();
            }
            terminals.release(terminal);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Terminals terminals = new Terminals(5);
        List<Thread> desks = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            Thread desk = new Thread(new Desk(terminals, i), "desk-" + i);
            desk.setDaemon(true);
            desk.start();
            desks.add(desk);
        }
        Truth.hangsOnce(desks);
        Truth.sayAndHalt(Truth.stuck("a declined refund keeps its terminal, until none is left")
            .object("LinkedBlockingQueue", "ConditionObject").culprit("Desk.refund").thread("desk-*").victims("desk-*")
            .noShare(), seconds);
        Thread.sleep(1000);
        Desk.bankIsStrict = true;
        Thread.sleep((long) (seconds * 2000));
    }
}
