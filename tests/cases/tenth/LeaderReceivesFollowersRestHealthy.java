import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Leader and followers: of five threads one receives, within a monitor, and gives it up to the next before it handles
 * what it received.
 *
 * Problem: none: who waits for the monitor has nothing to do, as a parcel station reports some twelve times a second,
 * and a report takes two milliseconds. Truth: healthy.
 */
final class LeaderReceivesFollowersRestHealthy {
    static final class Station {
        private final DatagramSocket socket;
        private final AtomicLong handled = new AtomicLong();

        Station(DatagramSocket socket) {
            this.socket = socket;
        }

        void lead() throws IOException {
            byte[] report = new byte[64];
            synchronized (this) {
                socket.receive(new DatagramPacket(report, report.length));
            }
            handle(report);
        }

        private void handle(byte[] report) {
            long end = System.nanoTime() + 2_000_000;
            long sum = 0;
            while (System.nanoTime() < end) {
                for (byte part : report) {
                    sum = sum * 31 + part;
                }
            }
            handled.addAndGet(1 + (sum & 1));
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Station station = new Station(socket);
        for (int i = 1; i <= 5; i++) {
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        station.lead();
                    }
                } catch (IOException exception) {
                    throw new UncheckedIOException(exception);
                }
            }, "udp-handler-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        DatagramSocket out = new DatagramSocket();
        Truth.repeat("parcels", () -> {
            Thread.sleep(ThreadLocalRandom.current().nextInt(30, 130));
            out.send(new DatagramPacket(new byte[32], 32, InetAddress.getLoopbackAddress(), socket.getLocalPort()));
        });
        Thread.sleep((long) (seconds * 1000));
        System.out.println("handled " + station.handled);
        Truth.healthy("followers wait until they are to receive").object().culprit().thread().victims().noShare().say();
    }
}
