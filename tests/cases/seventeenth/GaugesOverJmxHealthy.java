import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A console reads a boiler's gauge over JMX, that is RMI, every 50 ms; two more clients only listen for its
 * notifications, of which one comes each second, and so ask again and again for the next.
 *
 * Problem: none: answers take some hundred microseconds, and there is nothing to tell for most of the time. Truth:
 * healthy. Measured: how often it was read and how many notifications came.
 */
public final class GaugesOverJmxHealthy {
    static final AtomicInteger READ = new AtomicInteger(), TOLD = new AtomicInteger();

    public interface BoilerMBean {
        int getPressure();
    }

    public static final class Boiler extends NotificationBroadcasterSupport implements BoilerMBean {
        private int pressure;

        @Override
        public synchronized int getPressure() {
            return ++pressure;
        }

        void tell(long number) {
            sendNotification(new Notification("pressure", this, number));
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("plant:type=Boiler");
        Boiler boiler = new Boiler();
        beans.registerMBean(boiler, name);
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
            new JMXServiceURL("service:jmx:rmi://"), null, beans);
        server.start();
        for (int i = 0; i < 3; i++) {
            JMXConnector client = JMXConnectorFactory.connect(server.getAddress());
            MBeanServerConnection plant = client.getMBeanServerConnection();
            if (i == 0) {
                Truth.repeat("console", () -> {
                    plant.getAttribute(name, "Pressure");
                    READ.incrementAndGet();
                    Thread.sleep(50);
                });
            } else {
                plant.addNotificationListener(name, (told, handback) -> TOLD.incrementAndGet(), null, null);
            }
        }
        Truth.repeat("sensor", () -> {
            boiler.tell(READ.get() + 1);
            Thread.sleep(1000);
        });
        Truth.sleep(seconds);
        System.out.printf("%d read, %d told%n", READ.get(), TOLD.get());
        Truth.healthy("there is little to read and to tell").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
