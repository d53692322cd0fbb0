import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A server for card tables keeps a connection to each of twelve players: one thread accepts, two loops
 * select, one thread says what is to be said, a scheduler pings every 400 ms. A player makes a move
 * now and then, and else reads.
 *
 * Problem: none: there is hardly anything to do. Truth: healthy. Measured: nothing.
 */
final class TableTalkAtRestHealthy {
    static final class Loop implements Runnable {
        private final Selector selector;
        private final ConcurrentLinkedQueue<SocketChannel> arriving = new ConcurrentLinkedQueue<>();
        private final LinkedBlockingQueue<SocketChannel> said;

        Loop(LinkedBlockingQueue<SocketChannel> said) throws IOException {
            selector = Selector.open();
            this.said = said;
        }

        void adopt(SocketChannel player) {
            arriving.add(player);
            selector.wakeup();
        }

        @Override
        public void run() {
            ByteBuffer buffer = ByteBuffer.allocate(64);
            try {
                while (true) {
                    selector.select();
                    for (SocketChannel one = arriving.poll(); one != null; one = arriving.poll()) {
                        one.configureBlocking(false);
                        one.register(selector, SelectionKey.OP_READ);
                    }
                    for (Iterator<SelectionKey> each = selector.selectedKeys().iterator(); each.hasNext();) {
                        SocketChannel player = (SocketChannel) each.next().channel();
                        each.remove();
                        buffer.clear();
                        if (player.read(buffer) > 0) {
                            said.add(player);
                        }
                    }
                }
            } catch (IOException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static void send(SocketChannel channel, int what) {
        try {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) what}));
        } catch (IOException exception) {
            throw new IllegalStateException(exception);
        }
    }

    public static void main(String[] arguments) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        LinkedBlockingQueue<SocketChannel> said = new LinkedBlockingQueue<>();
        List<Loop> loops = List.of(new Loop(said), new Loop(said));
        List<SocketChannel> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Truth.start("ws-loop-" + i, loops.get(i));
        }
        Truth.repeat("ws-acceptor", () -> {
            SocketChannel player = server.accept();
            synchronized (all) {
                all.add(player);
                loops.get(all.size() % 2).adopt(player);
            }
        });
        Truth.repeat("ws-dispatch", () -> send(said.take(), 1));
        ScheduledExecutorService pinging = Executors.newScheduledThreadPool(1, work -> Truth.daemon("ws-ping", work));
        pinging.scheduleAtFixedRate(() -> {
            synchronized (all) {
                all.forEach(player -> send(player, 2));
            }
        }, 400, 400, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 12; i++) {
            SocketChannel player = SocketChannel.open(server.getLocalAddress());
            int own = i;
            ByteBuffer heard = ByteBuffer.allocate(16);
            Truth.repeat("player-" + i + "-ears", () -> {
                heard.clear();
                player.read(heard);
            });
            Truth.repeat("player-" + i + "-hands", () -> {
                Thread.sleep(900 + 70 * own);
                send(player, 3);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("a server of twelve quiet players").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
