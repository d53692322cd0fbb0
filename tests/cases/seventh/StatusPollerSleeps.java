import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Six tills send card payments to a bank and wait for the answer. The bank has no callbacks: a poller asks
 * it for what has been decided.
 *
 * Problem: the bank decides within 15 ms, but StatusPoller.look comes only each 300 ms. Truth: tills wait
 * for the payment's future, which StatusPoller.look completes, late. Measured: nothing; that the bank is
 * quick can be seen from no wait.
 */
final class StatusPollerSleeps {
    /** A payment on its way. */
    static final class Payment {
        final long decided = System.nanoTime() + 15_000_000;
        final CompletableFuture<String> answer = new CompletableFuture<>();
    }

    /** What the bank says, if asked. */
    static final class Bank {
        String status(Payment payment) {
            return System.nanoTime() >= payment.decided ? "paid" : "open";
        }
    }

    static final class OpenPayments {
        private final List<Payment> payments = new ArrayList<>();

        synchronized void add(Payment payment) {
            payments.add(payment);
        }

        synchronized List<Payment> takeDecided(Bank bank) {
            List<Payment> decided = new ArrayList<>();
            for (Iterator<Payment> i = payments.iterator(); i.hasNext();) {
                Payment payment = i.next();
                if (bank.status(payment).equals("paid")) {
                    decided.add(payment);
                    i.remove();
                }
            }
            return decided;
        }
    }

    static final class StatusPoller {
        private final OpenPayments open;
        private final Bank bank = new Bank();

        StatusPoller(OpenPayments open) {
            this.open = open;
        }

        void look() throws InterruptedException {
            Thread.sleep(300);
            for (Payment payment : open.takeDecided(bank)) {
                payment.answer.complete("paid");
            }
        }
    }

    record Till(OpenPayments open) {
        void sell() throws InterruptedException, ExecutionException {
            Thread.sleep(40);
            Payment payment = new Payment();
            open.add(payment);
            payment.answer.get();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        OpenPayments open = new OpenPayments();
        Truth.repeat("status-poller", new StatusPoller(open)::look);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("till-" + i, new Till(open)::sell);
        }
        Truth.sleep(seconds);
        Truth.of("a poller sleeps while answers are there").object("CompletableFuture")
            .culprit("StatusPoller.look").thread("status-poller").victims("till-*").noShare().say();
    }
}
