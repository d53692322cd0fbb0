import com.google.common.util.concurrent.AbstractIdleService;
import com.google.common.util.concurrent.Service;
import com.google.common.util.concurrent.ServiceManager;
import java.util.List;

/**
 * A shop is made of services of Guava's ServiceManager, which starts each on a thread of its own. Two doors wait until
 * the shop is healthy.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: Billing.startUp waits until the stock is running, and Stock.startUp until the billing is. Until then, for
 * two seconds, both read their settings. Truth: the services' threads and the doors hang at a condition of Guava's
 * Monitor because of Billing.startUp and Stock.startUp.
 */
final class ServicesStartAfterEachOther {
    static final class Billing extends AbstractIdleService {
        Service stock;

        @Override
        protected void startUp() {
            Truth.sleep(2);
            stock.awaitRunning();
        }

        @Override
        protected void shutDown() {
        }
    }

    static final class Stock extends AbstractIdleService {
        Service billing;

        @Override
        protected void startUp() {
            Truth.sleep(2);
            Truth.hangs();
            billing.awaitRunning();
        }

        @Override
        protected void shutDown() {
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Billing billing = new Billing();
        Stock stock = new Stock();
        billing.stock = stock;
        stock.billing = billing;
        ServiceManager shop = new ServiceManager(List.of(billing, stock));
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("door-" + i, () -> {
                shop.awaitHealthy();
                Thread.sleep(1000);
            });
        }
        shop.startAsync();
        Truth.sayAndHalt(Truth.stuck("two services each wait for the other one to run")
            .object("ConditionObject", "Monitor").culprit("Billing.startUp", "Stock.startUp")
            .thread("Billing STARTING", "Stock STARTING")
            .victims("Billing STARTING", "Stock STARTING", "door-*").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}
