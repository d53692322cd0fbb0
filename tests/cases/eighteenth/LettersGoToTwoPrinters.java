import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.jms.Connection;
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
 * Four desks have letters printed, by a queue of ActiveMQ with two consumers, and wait for each to be printed. The
 * broker is in the same process.
 *
 * NEEDS: libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java libhawtbuf-java
 * libgeronimo-j2ee-management-1.1-spec-java (activemq-broker.jar activemq-client.jar slf4j-api.jar slf4j-nop.jar
 * geronimo-jms_1.1_spec.jar hawtbuf.jar geronimo-j2ee-management-1.1-spec.jar)
 *
 * Problem: the broker gives each consumer up to a thousand letters ahead, in turns, and OldPrinter.print takes 80 ms,
 * where NewPrinter.print takes 4 ms and then has nothing to do: soon most letters that are waited for are with the old
 * one. Truth: desks wait for a reply, at a monitor of ActiveMQ's, because of OldPrinter.print. Measured: the waiting
 * for letters that the old one printed, of all.
 */
final class LettersGoToTwoPrinters {
    static final AtomicInteger BY_OLD = new AtomicInteger(), BY_NEW = new AtomicInteger();
    static final AtomicLong FOR_OLD = new AtomicLong(), FOR_ALL = new AtomicLong();

    abstract static class Printer implements MessageListener {
        private final Session session;

        Printer(Connection connection) throws JMSException {
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue("letters")).setMessageListener(this);
        }

        @Override
        public void onMessage(Message letter) {
            try {
                Message reply = session.createMessage();
                reply.setBooleanProperty("old", print());
                MessageProducer replies = session.createProducer(letter.getJMSReplyTo());
                replies.send(reply);
                replies.close();
            } catch (JMSException exception) {
                System.out.println(exception);
            }
        }

        abstract boolean print();
    }

    static final class OldPrinter extends Printer {
        OldPrinter(Connection connection) throws JMSException {
            super(connection);
        }

        @Override
        boolean print() {
            Truth.sleep(0.08);
            BY_OLD.incrementAndGet();
            return true;
        }
    }

    static final class NewPrinter extends Printer {
        NewPrinter(Connection connection) throws JMSException {
            super(connection);
        }

        @Override
        boolean print() {
            Truth.sleep(0.004);
            BY_NEW.incrementAndGet();
            return false;
        }
    }

    static final class Desk {
        private final Session session;
        private final MessageProducer letters;
        private final TemporaryQueue mailbox;
        private final MessageConsumer replies;

        Desk(Connection connection) throws JMSException {
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            letters = session.createProducer(session.createQueue("letters"));
            mailbox = session.createTemporaryQueue();
            replies = session.createConsumer(mailbox);
        }

        void write() throws JMSException, InterruptedException {
            Message letter = session.createMessage();
            letter.setJMSReplyTo(mailbox);
            letters.send(letter);
            long from = System.nanoTime();
            boolean old = replies.receive().getBooleanProperty("old");
            long waited = System.nanoTime() - from;
            FOR_ALL.addAndGet(waited);
            FOR_OLD.addAndGet(old ? waited : 0);
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("post");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.start();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://post?create=false");
        Connection printers = factory.createConnection();
        new OldPrinter(printers);
        new NewPrinter(printers);
        printers.start();
        for (int i = 1; i <= 4; i++) {
            Connection connection = factory.createConnection();
            connection.start();
            Truth.repeat("desk-" + i, new Desk(connection)::write);
        }
        Truth.sleep(seconds);
        System.out.printf("%d by the old one, %d by the new one, waited %.2f s%n", BY_OLD.get(), BY_NEW.get(),
                          FOR_ALL.get() / 1e9);
        Truth.of("letters wait ahead of the slow one of two printers")
            .object("Object", "FifoMessageDispatchChannel", "SimplePriorityMessageDispatchChannel")
            .culprit("OldPrinter.print").thread("ActiveMQ Session Task-*").victims("desk-*")
            .share((double) FOR_OLD.get() / FOR_ALL.get(), "the desks' waiting for replies").say();
        Runtime.getRuntime().halt(0);
    }
}
