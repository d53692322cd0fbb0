import java.util.function.LongUnaryOperator;

/**
 * Twelve transfers (virtual threads where there are any) post to a bank's accounts, which lie in eight stripes with a
 * monitor each: a posting takes 0.5 ms and meets few others.
 *
 * Problem: interest must be credited to all accounts at once; so it enters all monitors, one within the other, and
 * asks the rate of each stripe of the treasury only then (5 ms each). Truth: transfers wait for the monitor of a
 * Stripe because of InterestRun.credit. Measured: each stripe's being held for interest, and for postings, within the
 * waiting for that stripe.
 */
final class InterestTakesEveryStripe {
    static final class Stripe {
        final Truth.Diary diary = new Truth.Diary();
        private final long[] cents = new long[64];

        void post(int account, LongUnaryOperator change) {
            long asked = System.nanoTime();
            synchronized (this) {
                long from = System.nanoTime();
                diary.waited(asked, from);
                cents[account] = change.applyAsLong(cents[account]);
                Truth.sleep(0.0005);
                diary.held(1, from, System.nanoTime());
            }
        }
    }

    static final class Bank {
        final Stripe[] stripes = new Stripe[8];

        Bank() {
            for (int i = 0; i < stripes.length; i++) {
                stripes[i] = new Stripe();
            }
        }

        void transfer(int from, int to, long cents) {
            of(from).post(from % 64, held -> held - cents);
            of(to).post(to % 64, held -> held + cents);
        }

        private Stripe of(int account) {
            return stripes[account * 31 % stripes.length];
        }
    }

    static final class InterestRun {
        private final Bank bank;
        private final LongUnaryOperator treasury;

        InterestRun(Bank bank, LongUnaryOperator treasury) {
            this.bank = bank;
            this.treasury = treasury;
        }

        void perform() {
            enterFrom(0);
        }

        private void enterFrom(int index) {
            if (index == bank.stripes.length) {
                for (Stripe stripe : bank.stripes) {
                    credit(stripe);
                }
                return;
            }
            Stripe stripe = bank.stripes[index];
            long asked = System.nanoTime();
            synchronized (stripe) {
                long from = System.nanoTime();
                stripe.diary.waited(asked, from);
                enterFrom(index + 1);
                stripe.diary.held(0, from, System.nanoTime());
            }
        }

        private void credit(Stripe stripe) {
            long rate = treasury.applyAsLong(stripe.cents.length);
            for (int i = 0; i < stripe.cents.length; i++) {
                stripe.cents[i] += stripe.cents[i] * rate / 10_000;
            }
        }
    }

    static void transferForEver(Bank bank, int number) {
        for (int turn = number; ; turn++) {
            bank.transfer(turn * 17 % 500, turn * 41 % 500, 100 + turn % 50);
            Truth.sleep(0.012);
        }
    }

    public static void main(String[] arguments) {
        Bank bank = new Bank();
        InterestRun interest = new InterestRun(bank, accounts -> {
            Truth.sleep(0.005);
            return accounts % 5;
        });
        for (int i = 1; i <= 12; i++) {
            int number = i;
            Truth.virtual("transfer-" + i, () -> transferForEver(bank, number));
        }
        Truth.repeat("interest", () -> {
            interest.perform();
            Thread.sleep(120);
        });
        Truth.sleep(Truth.seconds(arguments));
        double all = 0, due = 0;
        for (Stripe stripe : bank.stripes) {
            double waited = stripe.diary.waitedSeconds();
            all += waited;
            due += waited * stripe.diary.share(0);
        }
        System.out.printf("waited %.2f s in all%n", all);
        Truth.of("interest enters every stripe before it asks for rates").object("Stripe")
            .culprit("InterestRun.credit", "InterestRun.enterFrom", "InterestRun.perform").thread("interest")
            .victims("transfer-*").share(due / all, "the waiting for stripes").say();
    }
}
