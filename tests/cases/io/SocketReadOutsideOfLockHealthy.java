import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * The healthy twin of I/O under a lock: six threads each ask a slow server over a socket of their
 * own and store the answer in a common map. The monitor of the map is held for the storing only.
 *
 * Truth: nothing to be found: all long waits are in the socket, and everybody waits for his own
 * answer.
 */
class SocketReadOutsideOfLockHealthy {
    private final Map<Integer, Integer> ratings = new HashMap<>();

    public static void main(String[] args) throws Exception {
        SocketReadOutsideOfLockHealthy service = new SocketReadOutsideOfLockHealthy();
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(() -> service.accept(server), "remote-acceptor");
        acceptor.setDaemon(true);
        acceptor.start();
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Thread thread = new Thread(
                () -> service.askAll(server.getLocalPort(), random), "rating-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Truth.sleep(Truth.seconds(args));
        Truth.healthy("the socket is read without the lock, which is held for microseconds")
            .object().culprit().thread().victims().noShare().say();
    }

    private void askAll(int port, Random random) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int customer = random.nextInt(1000);
                if (rating(customer) < 0) {
                    out.writeInt(customer);
                    store(customer, in.readInt());
                }
                Truth.sleep(0.01);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private int rating(int customer) {
        synchronized (ratings) {
            return ratings.getOrDefault(customer, -1);
        }
    }

    private void store(int customer, int rating) {
        synchronized (ratings) {
            ratings.put(customer, rating);
        }
    }

    private void accept(ServerSocket server) {
        while (true) {
            try {
                Socket peer = server.accept();
                Thread thread = new Thread(() -> answer(peer), "remote-" + peer.getPort());
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(Socket peer) {
        try {
            DataInputStream in = new DataInputStream(peer.getInputStream());
            DataOutputStream out = new DataOutputStream(peer.getOutputStream());
            while (true) {
                int customer = in.readInt();
                Truth.sleep(0.06 + customer % 50 / 1e3);
                out.writeInt(customer % 10);
            }
        } catch (IOException e) {
            return; // gone
        }
    }
}
