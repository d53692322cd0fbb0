import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageListener;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * Three desks send what was paid to a cashier, by ActiveMQ, and wait for a receipt. The broker is in the same process.
 *
 * NEEDS: libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java libhawtbuf-java
 * libgeronimo-j2ee-management-1.1-spec-java (activemq-broker.jar activemq-client.jar slf4j-api.jar slf4j-nop.jar
 * geronimo-jms_1.1_spec.jar hawtbuf.jar geronimo-j2ee-management-1.1-spec.jar)
 *
 * Problem: the cashier's connection gives messages to its listener on the thread of its transport, as that is quicker.
 * Once a hundred receipts were written, Cashier.onMessage sends them so that they are kept, which awaits the broker's
 * answer; and that would come by the same thread. Truth: stuck; that thread waits in Cashier.onMessage for the answer,
 * the desks for receipts. Measured: no share; HANG is said when all desks have waited for half a second.
 */
final class ReceiptsKeptOnTheTransport {
    static final AtomicInteger WRITTEN = new AtomicInteger();

    static final class Cashier implements MessageListener {
        private final Session session;
        private final MessageProducer receipts;

        Cashier(Connection connection) throws JMSException {
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            receipts = session.createProducer(null);
            session.createConsumer(session.createQueue("payments")).setMessageListener(this);
        }

        @Override
        public void onMessage(Message payment) {
            try {
                boolean kept = WRITTEN.incrementAndGet() > 100;
                receipts.setDeliveryMode(kept ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
                receipts.send(payment.getJMSReplyTo(), session.createMessage());
            } catch (JMSException exception) {
                System.out.println(exception);
            }
        }
    }

    static final class Desk {
        private final Session session;
        private final MessageProducer payments;
        private final TemporaryQueue mailbox;
        private final MessageConsumer receipts;

        Desk(Connection connection) throws JMSException {
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            payments = session.createProducer(session.createQueue("payments"));
            payments.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            mailbox = session.createTemporaryQueue();
            receipts = session.createConsumer(mailbox);
        }

        void pay() throws JMSException, InterruptedException {
            Message payment = session.createMessage();
            payment.setJMSReplyTo(mailbox);
            payments.send(payment);
            receipts.receive();
            Thread.sleep(60);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("till");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.start();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://till?create=false");
        factory.setAlwaysSessionAsync(false);
        Connection cashier = factory.createConnection();
        new Cashier(cashier);
        cashier.start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Connection connection = factory.createConnection();
            connection.start();
            threads.add(Truth.repeat("desk-" + i, new Desk(connection)::pay));
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("a listener awaits an answer that its own thread would bring")
            .object("ArrayBlockingQueue", "ConditionObject", "Object", "FifoMessageDispatchChannel",
                    "SimplePriorityMessageDispatchChannel")
            .culprit("Cashier.onMessage").thread("ActiveMQ VMTransport: vm:*")
            .victims("desk-*", "ActiveMQ VMTransport: vm://till#*-*").noShare(), seconds);
        Truth.sleep(seconds + 60);
    }
}
