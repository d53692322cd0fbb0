import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * Three shops send invoices, of 8 KB, to a queue of ActiveMQ, whose broker is in the same process and has 1 MB of
 * memory for messages. A consumer prints them.
 *
 * NEEDS: libactivemq-java libslf4j-java libgeronimo-jms-1.1-spec-java libhawtbuf-java
 * libgeronimo-j2ee-management-1.1-spec-java (activemq-broker.jar activemq-client.jar slf4j-api.jar slf4j-nop.jar
 * geronimo-jms_1.1_spec.jar hawtbuf.jar geronimo-j2ee-management-1.1-spec.jar)
 *
 * Problem: Printer.print takes 15 ms, so that the memory is full within some seconds, and the broker lets a shop's send
 * return only when a message has been printed and acknowledged. Truth: shops wait for a condition of the broker's
 * memory because of Printer.print. Measured: how long sends took; no share, as only the broker knows what for.
 */
final class InvoicePrinterFillsBrokerMemory {
    static final AtomicInteger SENT = new AtomicInteger(), PRINTED = new AtomicInteger();
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Printer {
        void print(int invoice) {
            Truth.sleep(0.015);
            PRINTED.addAndGet(invoice);
        }
    }

    static final class Shop {
        private final Session session;
        private final MessageProducer producer;

        Shop(Connection connection) throws JMSException {
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            producer = session.createProducer(session.createQueue("invoices"));
        }

        void sell() throws JMSException, InterruptedException {
            BytesMessage invoice = session.createBytesMessage();
            invoice.writeBytes(new byte[8192]);
            long from = System.nanoTime();
            producer.send(invoice);
            DIARY.waited(from, System.nanoTime());
            SENT.incrementAndGet();
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        BrokerService broker = new BrokerService();
        broker.setBrokerName("office");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.getSystemUsage().getMemoryUsage().setLimit(1024 * 1024);
        broker.start();
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://office?create=false");
        Connection inbound = factory.createConnection();
        Session session = inbound.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(session.createQueue("invoices?consumer.prefetchSize=4"));
        Printer printer = new Printer();
        consumer.setMessageListener(message -> printer.print(1));
        inbound.start();
        for (int i = 1; i <= 3; i++) {
            Connection outbound = factory.createConnection();
            outbound.start();
            Truth.repeat("shop-" + i, new Shop(outbound)::sell);
        }
        Truth.sleep(seconds);
        System.out.printf("%d sent, %d printed, sends took %.2f s%n", SENT.get(), PRINTED.get(), DIARY.waitedSeconds());
        Truth.of("invoices are printed more slowly than they are sent").object("ConditionObject")
            .culprit("Printer.print").thread("ActiveMQ Session Task-*").victims("shop-*").noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
