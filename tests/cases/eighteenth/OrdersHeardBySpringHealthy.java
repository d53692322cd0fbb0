import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.ConnectionFactory;
import javax.jms.MessageListener;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/**
 * Three of Spring's listeners at a queue of ActiveMQ, whose broker is in the same process, and a shop that sends an
 * order now and then.
 *
 * NEEDS: libspring-jms-java libspring-transaction-java libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java
 * libhawtbuf-java libgeronimo-j2ee-management-1.1-spec-java (spring3-jms.jar spring3-transaction.jar
 * spring3-context.jar spring3-core.jar spring3-beans.jar commons-logging.jar activemq-broker.jar activemq-client.jar
 * slf4j-api.jar slf4j-nop.jar geronimo-jms_1.1_spec.jar hawtbuf.jar geronimo-j2ee-management-1.1-spec.jar)
 *
 * Problem: none; the listeners receive with a limit of a second, again and again, and an order is worked on at once.
 * Truth: healthy. Measured: how long the slowest order took.
 */
final class OrdersHeardBySpringHealthy {
    static final AtomicInteger HEARD = new AtomicInteger();

    static final class Orders {
        void hear() {
            Truth.sleep(0.002);
            HEARD.incrementAndGet();
        }
    }

    static final class Shop {
        private final JmsTemplate template;
        private long slowest;

        Shop(ConnectionFactory factory) {
            template = new JmsTemplate(factory);
        }

        void order() throws InterruptedException {
            int before = HEARD.get();
            long from = System.nanoTime();
            template.convertAndSend("orders", "17 chairs");
            while (HEARD.get() == before) {
                Thread.sleep(1);
            }
            slowest = Math.max(slowest, System.nanoTime() - from);
            Thread.sleep(350);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("market");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.start();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://market?create=false");
        Orders orders = new Orders();
        DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
        container.setConnectionFactory(factory);
        container.setDestinationName("orders");
        container.setConcurrentConsumers(3);
        container.setMessageListener((MessageListener) message -> orders.hear());
        container.afterPropertiesSet();
        container.start();
        Shop shop = new Shop(factory);
        Truth.repeat("shop", shop::order);
        Truth.sleep(seconds);
        System.out.printf("%d orders, the slowest took %.1f ms%n", HEARD.get(), shop.slowest / 1e6);
        Truth.healthy("listeners at a quiet queue").say();
        Runtime.getRuntime().halt(0);
    }
}
