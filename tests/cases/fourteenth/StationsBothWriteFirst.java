import java.util.ArrayList;
import java.util.List;
import org.jcsp.lang.CSProcess;
import org.jcsp.lang.Channel;
import org.jcsp.lang.ChannelInput;
import org.jcsp.lang.ChannelOutput;
import org.jcsp.lang.One2OneChannel;
import org.jcsp.lang.ProcessManager;

/**
 * Two stations of a line and the two depots beside them are processes of JCSP, which talk by channels without room: who
 * writes waits until the other one reads. A depot asks its station for a wagon and waits for it; stations hand wagons
 * over to each other once in a while.
 *
 * NEEDS: libjcsp-java (jcsp.jar)
 *
 * Problem: Station.exchange writes its own wagon before it reads the other one's. The east reads first as long as it is
 * the smaller one; since the second second it is not, and both write. Truth: stuck, stations wait for a channel's
 * monitor, an Object, because of Station.exchange.
 */
final class StationsBothWriteFirst {
    static final class Station implements CSProcess {
        private final ChannelInput fromOther, orders;
        private final ChannelOutput toOther, wagons;
        private final boolean east;
        private final long growsAt;
        private int wagon;

        Station(boolean east, ChannelInput[] in, ChannelOutput[] out, long growsAt) {
            this.east = east;
            this.fromOther = in[0];
            this.orders = in[1];
            this.toOther = out[0];
            this.wagons = out[1];
            this.growsAt = growsAt;
        }

        private boolean isSmaller() {
            return east && System.nanoTime() < growsAt;
        }

        private void exchange() {
            if (isSmaller()) {
                Object other = fromOther.read();
                toOther.write(wagon++);
                wagon += other.hashCode() % 2;
                return;
            }
            toOther.write(wagon++);
            wagon += fromOther.read().hashCode() % 2;
        }

        @Override
        public void run() {
            Thread.currentThread().setName(east ? "station-east" : "station-west");
            while (true) {
                for (int i = 0; i < 3; i++) {
                    Object order = orders.read();
                    Truth.sleep(0.004);
                    wagons.write(order);
                }
                exchange();
            }
        }
    }

    static final class Depot implements CSProcess {
        private final String name;
        private final ChannelOutput orders;
        private final ChannelInput wagons;

        Depot(String name, ChannelOutput orders, ChannelInput wagons) {
            this.name = name;
            this.orders = orders;
            this.wagons = wagons;
        }

        @Override
        public void run() {
            Thread.currentThread().setName(name);
            for (int number = 0;; number++) {
                orders.write(number);
                wagons.read();
                Truth.sleep(0.012);
            }
        }
    }

    static void start(CSProcess process) {
        new ProcessManager(process).start();
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        long later = System.nanoTime() + 1_300_000_000L;
        One2OneChannel[] between = {Channel.one2one(), Channel.one2one()};
        for (int i = 0; i < 2; i++) {
            One2OneChannel orders = Channel.one2one(), wagons = Channel.one2one();
            start(new Station(i == 0, new ChannelInput[] {between[1 - i].in(), orders.in()},
                new ChannelOutput[] {between[i].out(), wagons.out()}, later));
            start(new Depot("depot-" + (i == 0 ? "east" : "west"), orders.out(), wagons.in()));
        }
        Thread.sleep(200);
        List<Thread> stations = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("station-") || thread.getName().startsWith("depot-")) {
                stations.add(thread);
            }
        }
        Truth.hangsOnce(stations);
        Truth.sayAndHalt(Truth.stuck("both write before they read").object("Object", "One2OneChannelImpl")
            .culprit("Station.exchange").thread("station-east", "station-west")
            .victims("station-east", "station-west", "depot-east", "depot-west").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
