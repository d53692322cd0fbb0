import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A parcel service on Netty: four event loops read lines from ten customers, ask a pool of two threads for the
 * parcel, and answer. Each handler waits for the pool's answer on its loop.
 *
 * NEEDS: libnetty-java (netty-transport.jar netty-codec.jar netty-buffer.jar netty-common.jar netty-handler.jar
 * netty-resolver.jar)
 *
 * Problem: of each five parcels one is in the archive (Archive.load, 26 ms); the others are at hand (Depot.find, 3
 * ms). Truth: event loops wait for a CompletableFuture because of Archive.load. Measured: the part of the loops'
 * waiting during which the pool's threads load from the archive, evenly shared with finding.
 */
final class HandlersAwaitTheArchive {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Archive {
        String load(int parcel) {
            long from = System.nanoTime();
            Truth.sleep(0.026);
            DIARY.held(0, from, System.nanoTime());
            return "archived " + parcel;
        }
    }

    static final class Depot {
        String find(int parcel) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return "shelf " + parcel % 90;
        }
    }

    static final class Parcels {
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService pool;
        private final Archive archive = new Archive();
        private final Depot depot = new Depot();

        Parcels() {
            AtomicInteger threads = new AtomicInteger();
            pool = Executors.newFixedThreadPool(2, work -> Truth.daemon("parcels-" + threads.incrementAndGet(), work));
        }

        CompletableFuture<String> ask(String line) {
            int parcel = line.length() + number.incrementAndGet();
            return CompletableFuture.supplyAsync(() -> parcel % 5 == 0 ? archive.load(parcel) : depot.find(parcel), pool);
        }
    }

    static final class ParcelHandler extends SimpleChannelInboundHandler<String> {
        private final Parcels parcels;

        ParcelHandler(Parcels parcels) {
            this.parcels = parcels;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, String line) {
            long from = System.nanoTime();
            String answer = parcels.ask(line).join();
            DIARY.waited(from, System.nanoTime());
            context.writeAndFlush(answer + "\n");
        }
    }

    static void customer(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            while (true) {
                socket.getOutputStream().write("where is it\n".getBytes(StandardCharsets.US_ASCII));
                in.readLine();
                Thread.sleep(12);
            }
        } catch (Exception exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Parcels parcels = new Parcels();
        Channel server = new ServerBootstrap()
            .group(new NioEventLoopGroup(1, new DefaultThreadFactory("accept", true)),
                new NioEventLoopGroup(4, new DefaultThreadFactory("loop", true)))
            .channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new LineBasedFrameDecoder(200), new StringDecoder(), new StringEncoder(),
                        new ParcelHandler(parcels));
                }
            })
            .bind("127.0.0.1", 0).sync().channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        for (int i = 1; i <= 10; i++) {
            Truth.start("customer-" + i, () -> customer(port));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("event loops wait for parcels that are in the archive").object("CompletableFuture", "Signaller")
            .culprit("Archive.load").thread("parcels-*").victims("loop-*-*")
            .share(DIARY.share(0), "the loops' waiting for parcels").say();
        Runtime.getRuntime().halt(0);
    }
}
