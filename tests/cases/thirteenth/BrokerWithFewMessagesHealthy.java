import java.util.concurrent.atomic.AtomicLong;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * An ActiveMQ broker within the process: three shops send an order now and then, two depots receive them, and a till
 * asks for a price five times a second and waits for the answer.
 *
 * NEEDS: libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java libhawtbuf-java
 * (activemq-broker.jar activemq-client.jar geronimo-jms_1.1_spec.jar geronimo-j2ee-management-1.1-spec.jar hawtbuf.jar
 * slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: everybody waits for the next message, and an answer takes some milliseconds. Truth: healthy.
 * Measured: the till's time until the answer.
 */
final class BrokerWithFewMessagesHealthy {
    static final AtomicLong ASKED = new AtomicLong();

    static final class Depot {
        private final AtomicLong shipped = new AtomicLong();

        void onOrder(Message order) {
            Truth.sleep(0.004);
            shipped.incrementAndGet();
        }
    }

    private static Connection connect(String name) throws JMSException {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://market?create=false");
        Connection connection = factory.createConnection();
        connection.setClientID(name);
        connection.start();
        return connection;
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("market");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.setUseShutdownHook(false);
        broker.start();
        Depot depot = new Depot();
        for (int i = 1; i <= 2; i++) {
            Session session = connect("depot-" + i).createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue("orders")).setMessageListener(depot::onOrder);
        }
        for (int i = 1; i <= 3; i++) {
            Session session = connect("shop-" + i).createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("orders"));
            int pause = 90 + i * 20;
            Truth.repeat("shop-" + i, () -> {
                producer.send(session.createTextMessage("a box of buttons"));
                Thread.sleep(pause);
            });
        }
        Session prices = connect("prices").createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer answers = prices.createProducer(null);
        MessageConsumer questions = prices.createConsumer(prices.createQueue("prices"));
        Truth.repeat("price-list", () -> {
            Message question = questions.receive();
            Thread.sleep(3);
            answers.send(question.getJMSReplyTo(), prices.createTextMessage("12.50"));
        });
        Session till = connect("till").createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue reply = till.createTemporaryQueue();
        MessageConsumer replies = till.createConsumer(reply);
        MessageProducer asking = till.createProducer(till.createQueue("prices"));
        Truth.repeat("till", () -> {
            long from = System.nanoTime();
            Message question = till.createTextMessage("buttons");
            question.setJMSReplyTo(reply);
            asking.send(question);
            replies.receive(5000);
            ASKED.addAndGet(System.nanoTime() - from);
            Thread.sleep(200);
        });
        Truth.sleep(seconds);
        System.out.printf("the till waited %.2f s in all%n", ASKED.get() / 1e9);
        Truth.healthy("a broker's threads wait for messages").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
