import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A bank's counters: statements show a customer with the balance, from a cache; transfers are posted in
 * the ledger, which asks for the customer's limit when the amount is large.
 *
 * NEEDS: libcaffeine-java (caffeine.jar)
 *
 * Problem: CustomerDirectory.load, within the computation of a cache entry, needs the ledger's monitor for
 * the balance; Ledger.post, within that monitor, asks the cache for the customer. Who loads customer n
 * while a large amount of n is posted waits for ever, and so does the other; then everyone. Truth: stuck
 * within the first three seconds. Measured: nothing else.
 */
final class CacheLoaderNeedsLedger {
    static final int CUSTOMERS = 30;

    record Customer(int number, String name, long limit, long balance) {
    }

    /** Names and limits: 12 ms each. */
    static final class CoreBanking {
        String name(int number) {
            Truth.sleep(0.012);
            return "Customer " + number;
        }

        long limit(int number) {
            return 1_000_000L + number;
        }
    }

    static final class CustomerDirectory {
        private final Cache<Integer, Customer> cache =
            Caffeine.newBuilder().maximumSize(1000).expireAfterWrite(300, TimeUnit.MILLISECONDS).build();
        private final CoreBanking core = new CoreBanking();
        private final Ledger ledger;

        CustomerDirectory(Ledger ledger) {
            this.ledger = ledger;
        }

        Customer find(int number) {
            return cache.get(number, this::load);
        }

        private Customer load(int number) {
            String name = core.name(number);
            return new Customer(number, name, core.limit(number), ledger.balance(number));
        }
    }

    static final class Ledger {
        private static final long LARGE = 10_000;
        private final Map<Integer, Long> balances = new HashMap<>();
        private CustomerDirectory customers;

        synchronized void open(CustomerDirectory directory) {
            customers = directory;
        }

        synchronized long balance(int number) {
            return balances.getOrDefault(number, 0L);
        }

        synchronized boolean post(int number, long cents) {
            if (cents > LARGE && cents > customers.find(number).limit()) {
                return false;
            }
            balances.merge(number, cents, Long::sum);
            return true;
        }
    }

    /** One who stands at a counter: prints statements, or takes transfers, of larger amounts by and by. */
    static final class Counter {
        private final CustomerDirectory customers;
        private final Ledger ledger;
        private final Random random;
        private long cents = 100;

        Counter(CustomerDirectory customers, Ledger ledger, int seed) {
            this.customers = customers;
            this.ledger = ledger;
            random = new Random(seed);
        }

        void statement() throws InterruptedException {
            Thread.sleep(6);
            print(customers.find(random.nextInt(CUSTOMERS)));
        }

        void transfer() throws InterruptedException {
            Thread.sleep(8);
            cents += 80;
            if (!ledger.post(random.nextInt(CUSTOMERS), cents)) {
                throw new IllegalStateException("above the limit");
            }
        }

        private String print(Customer customer) {
            return customer.name() + ": " + customer.balance() / 100.0;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Ledger ledger = new Ledger();
        CustomerDirectory customers = new CustomerDirectory(ledger);
        ledger.open(customers);
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("statement-" + i, new Counter(customers, ledger, i)::statement);
            Truth.repeat("transfer-" + i, new Counter(customers, ledger, 50 + i)::transfer);
        }
        List<Thread> counters = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("(statement|transfer)-\\d+")) {
                counters.add(thread);
            }
        }
        Truth.hangsOnce(counters);
        Truth.sayAndHalt(Truth.stuck("a cache's loader needs the ledger, which asks the cache")
            .object("Ledger", "ConcurrentHashMap", "Node", "ReservationNode")
            .culprit("CustomerDirectory.load", "Ledger.post")
            .thread("statement-*", "transfer-*").victims("statement-*", "transfer-*").noShare(), seconds);
        Thread.currentThread().join();
    }
}
