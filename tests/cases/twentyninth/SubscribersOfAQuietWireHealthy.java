import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A wire reads messages from a socket, some seven a second, decodes each in 2 ms of processor time, and puts it into a
 * queue; three subscribers take and store them, 2 ms. The sender in the same process writes by its own clock.
 *
 * Problem: none; there is nothing more to do. Truth: healthy.
 */
final class SubscribersOfAQuietWireHealthy {
    record Wire(DataInputStream in, BlockingQueue<Long> messages) implements Truth.Step {
        private long decode(long raw) {
            long until = System.nanoTime() + 2_000_000;
            long hash = raw;
            while (System.nanoTime() < until) {
                hash = hash * 31 + 1;
            }
            return hash;
        }

        @Override
        public void run() throws IOException, InterruptedException {
            messages.put(decode(in.readLong()));
        }
    }

    public static void main(String[] arguments) throws IOException {
        BlockingQueue<Long> messages = new LinkedBlockingQueue<>();
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket far = server.accept();
        DataOutputStream out = new DataOutputStream(far.getOutputStream());
        Truth.repeat("wire", new Wire(new DataInputStream(near.getInputStream()), messages));
        long[] sum = {0};
        for (int i = 1; i <= 3; i++) {
            Truth.repeat("subscriber-" + i, () -> {
                long message = messages.take();
                Truth.sleep(0.002);
                sum[0] += message;
            });
        }
        Truth.repeat("sender", () -> {
            Thread.sleep(140);
            out.writeLong(System.nanoTime());
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("subscribers have nothing to do, as hardly anything arrives").say();
    }
}
