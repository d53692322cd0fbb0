import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.Connection;
import javax.jms.Destination;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageListener;
import javax.jms.MessageProducer;
import javax.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * Six counters of a bank ask for credit over ActiveMQ (a broker in the same process): a request with a queue of
 * their own for the reply, for which they wait. One listener answers.
 *
 * NEEDS: libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java libhawtbuf-java
 * libgeronimo-j2ee-management-1.1-spec-java (activemq-broker.jar activemq-client.jar slf4j-api.jar slf4j-nop.jar
 * geronimo-jms_1.1_spec.jar hawtbuf.jar geronimo-j2ee-management-1.1-spec.jar)
 *
 * Problem: each request of a new customer is scored by a bureau, CreditBureau.score, 21 ms, every third one; all
 * have their address checked, AddressBook.check, 1.5 ms. Truth: counters wait for a reply (an Object or channel of
 * ActiveMQ's) because of CreditBureau.score. Measured: the part of the counters' waiting for replies during which
 * the listener scores, against checking.
 */
final class CreditScoredByOneListener {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class CreditBureau {
        int score(int customer) {
            long from = System.nanoTime();
            Truth.sleep(0.021);
            DIARY.held(0, from, System.nanoTime());
            return customer % 800;
        }
    }

    static final class AddressBook {
        int check(int customer) {
            long from = System.nanoTime();
            Truth.sleep(0.0015);
            DIARY.held(1, from, System.nanoTime());
            return customer;
        }
    }

    static final class CreditListener implements MessageListener {
        private final CreditBureau bureau = new CreditBureau();
        private final AddressBook addresses = new AddressBook();
        private final Session session;
        private final MessageProducer replies;

        CreditListener(Session session) throws JMSException {
            this.session = session;
            replies = session.createProducer(null);
        }

        @Override
        public void onMessage(Message request) {
            try {
                int customer = addresses.check(request.getIntProperty("customer"));
                if (customer % 3 == 0) {
                    customer = bureau.score(customer);
                }
                replies.send(request.getJMSReplyTo(), session.createTextMessage("granted " + customer));
            } catch (JMSException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setBrokerName("bank");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.start();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://bank?create=false");
        Connection office = factory.createConnection();
        Session session = office.createSession(false, Session.AUTO_ACKNOWLEDGE);
        session.createConsumer(session.createQueue("credit")).setMessageListener(new CreditListener(session));
        office.start();
        AtomicInteger customers = new AtomicInteger();
        for (int i = 1; i <= 6; i++) {
            Connection connection = factory.createConnection();
            connection.start();
            Session own = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer requests = own.createProducer(own.createQueue("credit"));
            Destination reply = own.createTemporaryQueue();
            MessageConsumer replies = own.createConsumer(reply);
            Truth.repeat("counter-" + i, () -> {
                Message request = own.createTextMessage("credit");
                request.setIntProperty("customer", customers.incrementAndGet());
                request.setJMSReplyTo(reply);
                requests.send(request);
                long from = System.nanoTime();
                replies.receive();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(25);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one listener has each third customer scored by a bureau")
            .object("Object", "FifoMessageDispatchChannel", "SimplePriorityMessageDispatchChannel")
            .culprit("CreditBureau.score").thread("ActiveMQ Session Task-*").victims("counter-*")
            .share(DIARY.share(0), "the counters' waiting for replies").say();
        Runtime.getRuntime().halt(0);
    }
}
