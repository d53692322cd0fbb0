import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Trades come over a socket, some twenty a second, and go through two that parse them to one that books them, in
 * batches of thirty, or after 300 ms.
 *
 * Problem: none: each stage waits for the one before it, and that for the exchange. Truth: healthy.
 */
final class StagesAwaitFeedHealthy {
    static final class Exchange {
        private final ServerSocket server;
        private Writer to;

        Exchange() throws IOException {
            server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        }

        void trade() throws Exception {
            if (to == null) {
                to = new java.io.OutputStreamWriter(server.accept().getOutputStream(), StandardCharsets.US_ASCII);
            }
            Thread.sleep(20 + ThreadLocalRandom.current().nextInt(60));
            to.write("42 shares\n");
            to.flush();
        }
    }

    static final class Stages {
        private final ArrayBlockingQueue<String> lines = new ArrayBlockingQueue<>(1000);
        private final SynchronousQueue<Integer> trades = new SynchronousQueue<>();
        private final BufferedReader feed;
        private long booked;

        Stages(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            feed = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        void receive() throws Exception {
            lines.put(feed.readLine());
        }

        void parse() throws InterruptedException {
            trades.put(lines.take().length());
        }

        void book() throws InterruptedException {
            long end = System.nanoTime() + 300_000_000L;
            for (int i = 0; i < 30; i++) {
                Integer trade = trades.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (trade == null) {
                    break;
                }
                booked += trade;
            }
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        Exchange exchange = new Exchange();
        Truth.repeat("exchange", exchange::trade);
        Stages stages = new Stages(exchange.server.getLocalPort());
        Truth.repeat("receiver", stages::receive);
        Truth.repeat("parser-1", stages::parse);
        Truth.repeat("parser-2", stages::parse);
        Truth.repeat("booker", stages::book);
        Truth.sleep(seconds);
        System.out.println("booked " + stages.booked);
        Truth.healthy("stages that wait for what a feed brings").object().culprit().thread().victims().noShare().say();
    }
}
