import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.ExecutionException;

/**
 * A server of parcels' labels on asynchronous channels, whose group has three threads. A client sends a header, waits
 * until that is acknowledged, and sends the rest after a moment.
 *
 * Problem: HeaderHandler.completed, which the group's threads call, reads the rest with read().get(): a thread of the
 * group waits for what threads of the group are to find out. As soon as three clients are between header and rest,
 * nobody reads. Until the second second only two clients come. Truth: stuck, the group's threads wait for a
 * PendingFuture's CountDownLatch because of HeaderHandler.completed.
 */
final class HandlersReadOnTheirChannelGroup {
    static final class HeaderHandler implements CompletionHandler<Integer, ByteBuffer> {
        private final AsynchronousSocketChannel channel;

        HeaderHandler(AsynchronousSocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void completed(Integer length, ByteBuffer header) {
            try {
                if (length < 0) {
                    channel.close();
                    return;
                }
                channel.write(ByteBuffer.wrap(new byte[] {1})).get();
                ByteBuffer rest = ByteBuffer.allocate(16);
                channel.read(rest).get();
                header.clear();
                channel.read(header, header, this);
            } catch (IOException | InterruptedException | ExecutionException exception) {
                System.out.println(exception);
            }
        }

        @Override
        public void failed(Throwable reason, ByteBuffer header) {
            System.out.println(reason);
        }
    }

    static final class Accepting implements CompletionHandler<AsynchronousSocketChannel, Void> {
        private final AsynchronousServerSocketChannel server;

        Accepting(AsynchronousServerSocketChannel server) {
            this.server = server;
        }

        @Override
        public void completed(AsynchronousSocketChannel channel, Void nothing) {
            server.accept(null, this);
            ByteBuffer header = ByteBuffer.allocate(4);
            channel.read(header, header, new HeaderHandler(channel));
        }

        @Override
        public void failed(Throwable reason, Void nothing) {
            System.out.println(reason);
        }
    }

    static void client(int port) throws IOException, InterruptedException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            while (true) {
                socket.getOutputStream().write(new byte[4]);
                socket.getInputStream().read();
                Thread.sleep(15);
                socket.getOutputStream().write(new byte[16]);
                Thread.sleep(10);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        int[] workers = {0};
        AsynchronousChannelGroup group = AsynchronousChannelGroup.withFixedThreadPool(3, work -> {
            Thread thread = new Thread(work, "labels-" + ++workers[0]);
            thread.setDaemon(true);
            return thread;
        });
        AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open(group)
            .bind(new InetSocketAddress("127.0.0.1", 0));
        server.accept(null, new Accepting(server));
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        for (int i = 1; i <= 8; i++) {
            int number = i;
            Truth.repeat("client-" + i, () -> {
                Thread.sleep(number <= 2 ? 0 : 1300);
                client(port);
            });
        }
        java.util.List<Thread> threads = new java.util.ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("labels-")) {
                threads.add(thread);
            }
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("threads of a channel group wait for the group's own work")
            .object("PendingFuture", "CountDownLatch").culprit("HeaderHandler.completed").thread("labels-*")
            .victims("labels-*").noShare(), seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
