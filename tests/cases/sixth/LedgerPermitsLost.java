import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Forty sessions, virtual threads where there are any, ask a ledger for balances; a gate lets six of them
 * into the database at a time.
 *
 * Problem: LedgerStore.balance enters the gate and leaves it after the query, but not by `finally`: for an
 * account that is closed the row is missing, the exception passes, and a permit is lost. Truth: stuck once
 * six are lost, in the second second; the permits will never come back. Measured: nothing else.
 */
final class LedgerPermitsLost {
    static final class AccountClosed extends RuntimeException {
        private static final long serialVersionUID = 1;

        AccountClosed(int number) {
            super("account " + number + " is closed", null, false, false);
        }
    }

    /** The database takes six queries at a time. */
    static final class DatabaseGate {
        private final Semaphore permits = new Semaphore(6);

        void enter() throws InterruptedException {
            permits.acquire();
        }

        void leave() {
            permits.release();
        }
    }

    /** Rows by number; every 97th account is closed, and is no longer read from here. */
    static final class BalanceTable {
        private final Map<Integer, Long> rows = new HashMap<>();

        BalanceTable() {
            for (int number = 1; number <= 5000; number++) {
                if (number % 97 != 0) {
                    rows.put(number, number * 13L);
                }
            }
        }

        Long select(int number) throws InterruptedException {
            Thread.sleep(2);
            return rows.get(number);
        }
    }

    static final class LedgerStore {
        private final DatabaseGate gate = new DatabaseGate();
        private final BalanceTable table = new BalanceTable();

        long balance(int number) throws InterruptedException {
            gate.enter();
            long cents = required(number, table.select(number));
            gate.leave();
            return cents;
        }

        private long required(int number, Long cents) {
            if (cents == null) {
                throw new AccountClosed(number);
            }
            return cents;
        }
    }

    record BalanceService(LedgerStore store) {
        String show(int number) throws InterruptedException {
            try {
                return "{\"balance\":" + store.balance(number) + "}";
            } catch (AccountClosed exception) {
                return "{\"error\":\"" + exception.getMessage() + "\"}";
            }
        }
    }

    /** A customer's session: thinks, asks. Closed accounts are asked for from the second second on. */
    static final class Session implements Runnable {
        private static final long BEGIN = System.nanoTime();
        private final BalanceService service;
        private final Random random;

        Session(BalanceService service, int seed) {
            this.service = service;
            random = new Random(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(25 + random.nextInt(10));
                    service.show(choose());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private int choose() {
            int number = 1 + random.nextInt(5000);
            boolean early = System.nanoTime() - BEGIN < 1_000_000_000L;
            return early && number % 97 == 0 ? number + 1 : number;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        BalanceService service = new BalanceService(new LedgerStore());
        List<Thread> sessions = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            sessions.add(Truth.virtual("session-" + i, new Session(service, i)));
        }
        Truth.hangsOnce(sessions);
        Truth.sayAndHalt(Truth.stuck("permits of the database gate are lost when an account is closed")
            .object("Semaphore").culprit("LedgerStore.balance").thread("session-*")
            .victims("session-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}
