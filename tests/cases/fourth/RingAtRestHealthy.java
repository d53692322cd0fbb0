import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A ring of 1024 with three handlers, the third after the first two, gets an order each 10 to 30 ms from
 * two gateways. The slowest handler takes 0.5 ms.
 *
 * NEEDS: libdisruptor-java (disruptor.jar)
 *
 * Problem: none; handlers wait for orders. Truth: healthy. Measured: nothing.
 */
final class RingAtRestHealthy {
    static final class Order {
        int amount;
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        Disruptor<Order> orders = new Disruptor<>(Order::new, 1024, work -> {
            Thread thread = new Thread(work, "handler-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }, ProducerType.MULTI, new BlockingWaitStrategy());
        orders.handleEventsWith((order, at, last) -> Truth.sleep(0.0005),
            (order, at, last) -> Truth.sleep(0.0001)).then((order, at, last) -> order.amount = 0);
        RingBuffer<Order> ring = orders.start();
        for (int i = 1; i <= 2; i++) {
            Random random = new Random(i);
            Truth.repeat("gateway-" + i, () -> {
                Truth.sleep(0.01 + random.nextDouble() * 0.02);
                ring.publishEvent((order, at) -> order.amount = 7);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("handlers wait for orders and take them at once")
            .object().culprit().thread().victims().noShare().say();
    }
}
