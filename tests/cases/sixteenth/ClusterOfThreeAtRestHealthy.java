import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ReceiverAdapter;

/**
 * Three members of a JGroups cluster in one process, with the threads that its protocols have for timers, messages and
 * the search for failed members. Each tells the others its load twice a second.
 *
 * NEEDS: libjgroups-java libcommons-logging-java (jgroups.jar commons-logging.jar)
 *
 * Problem: none: there is little to say. Truth: healthy. Measured: how many messages have been received.
 */
final class ClusterOfThreeAtRestHealthy {
    static final String STACK = "SHARED_LOOPBACK:PING(timeout=500;num_initial_members=3):MERGE2:FD(timeout=2000)"
        + ":VERIFY_SUSPECT:pbcast.NAKACK(use_mcast_xmit=false):UNICAST:pbcast.STABLE"
        + ":pbcast.GMS(join_timeout=1000;print_local_addr=false):FC";
    static final AtomicLong RECEIVED = new AtomicLong();

    static final class Member extends ReceiverAdapter {
        private final JChannel channel;

        Member(String name) throws Exception {
            channel = new JChannel(STACK);
            channel.setReceiver(this);
            channel.connect("shop");
        }

        @Override
        public void receive(Message message) {
            RECEIVED.incrementAndGet();
        }

        void tellLoad() throws Exception {
            channel.send(new Message(null, null, "load 0.2"));
            Thread.sleep(500);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        System.setProperty("java.net.preferIPv4Stack", "true");
        System.setProperty("jgroups.bind_addr", "127.0.0.1");
        System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("load-" + i, new Member("member-" + i)::tellLoad);
        }
        Truth.sleep(seconds);
        System.out.printf("%d messages received%n", RECEIVED.get());
        Truth.healthy("a cluster that has little to say").object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }
}
