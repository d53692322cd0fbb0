import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;

/**
 * The healthy twin of the late signals: four mail handlers wait on a monitor for letters that
 * come in through a socket, when a client outside happens to send one (every 100 to 400 ms). The
 * receiver hands each over at once; a handler needs 3 ms for it.
 *
 * Truth: nothing to be found. The handlers wait because there is no work, not because somebody is
 * slow.
 */
class IdleMailListenersHealthy {
    private final Queue<Integer> letters = new ArrayDeque<>();

    public static void main(String[] args) throws IOException {
        IdleMailListenersHealthy post = new IdleMailListenersHealthy();
        ServerSocket door = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        daemon("smtp-reader-1", () -> post.receive(door));
        daemon("outside-client", () -> post.client(door.getLocalPort()));
        for (int i = 1; i <= 4; i++) {
            daemon("mail-handler-" + i, post::handle);
        }
        Truth.sleep(Truth.seconds(args));
        Truth.healthy("handlers are idle until a letter comes in from outside, and then act at "
                + "once")
            .object().culprit().thread().victims().noShare().say();
    }

    private void receive(ServerSocket door) throws IOException {
        try (Socket socket = door.accept(); DataInputStream in =
                new DataInputStream(socket.getInputStream())) {
            while (true) {
                deliver(in.readInt());
            }
        }
    }

    private synchronized void deliver(int letter) {
        letters.add(letter);
        notify();
    }

    private void handle() throws InterruptedException {
        while (true) {
            int letter = awaitLetter();
            Thread.sleep(3 + letter % 2);
        }
    }

    private synchronized int awaitLetter() throws InterruptedException {
        while (letters.isEmpty()) {
            wait();
        }
        return letters.remove();
    }

    private void client(int port) throws Exception {
        Random random = new Random(8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (int letter = 0; ; letter++) {
                Thread.sleep(100 + random.nextInt(300));
                out.writeInt(letter);
            }
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static void daemon(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}
