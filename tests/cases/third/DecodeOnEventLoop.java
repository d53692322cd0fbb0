import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Five edge threads ask a server for short facts, one gallery thread for pictures; each has a
 * channel of its own, all channels of the client share one event loop. Who asks waits for a promise
 * that the loop completes with the answer.
 *
 * NEEDS: libnetty-java
 * (netty-buffer.jar netty-codec.jar netty-common.jar netty-resolver.jar netty-transport.jar)
 *
 * Problem: PictureDecoder.decode (50 to 90 ms) is called by the channel's handler, on the event
 * loop, so the answers for the others are not even read meanwhile. Truth: the edge threads wait at
 * their promises because of it. Measured: when the loop decoded, within the waits for promises.
 */
final class DecodeOnEventLoop {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class PictureDecoder {
        private static final Random RANDOM = new Random(17);

        static String decode(String text) {
            long from = System.nanoTime();
            Truth.sleep(0.05 + RANDOM.nextDouble() * 0.04);
            DIARY.held(0, from, System.nanoTime());
            return text.toUpperCase();
        }
    }

    /** The client's end of a channel. */
    static final class Questions extends SimpleChannelInboundHandler<String> {
        private final Queue<Promise<String>> open = new ConcurrentLinkedQueue<>();

        String ask(Channel channel, String question) throws InterruptedException {
            Promise<String> answer = channel.eventLoop().next().newPromise();
            open.add(answer);
            channel.writeAndFlush(question + "\n");
            return answer.sync().getNow();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, String text) {
            open.remove().setSuccess(text.startsWith("picture") ? PictureDecoder.decode(text) : text);
        }
    }

    static final class Echo extends SimpleChannelInboundHandler<String> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, String text) {
            context.writeAndFlush(text + "\n");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        EventLoopGroup serverLoop = new NioEventLoopGroup(1, new DefaultThreadFactory("server"));
        Channel server = new ServerBootstrap().group(serverLoop)
            .channel(NioServerSocketChannel.class).childHandler(lines(Echo::new))
            .bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        EventLoopGroup loop = new NioEventLoopGroup(1, new DefaultThreadFactory("client-loop"));
        for (int i = 0; i <= 5; i++) {
            Questions questions = new Questions();
            Channel channel = new Bootstrap().group(loop).channel(NioSocketChannel.class)
                .handler(lines(() -> questions)).connect(server.localAddress()).sync().channel();
            Random random = new Random(i);
            if (i == 0) {
                Truth.start("gallery", () -> look(questions, channel, random));
            } else {
                Truth.start("edge-" + i, () -> serve(questions, channel, random));
            }
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("pictures are decoded on the client's only event loop, so that all other answers "
            + "wait to be read")
            .object("DefaultPromise", "Promise")
            .culprit("PictureDecoder.decode", "Questions.channelRead0")
            .thread("client-loop*").victims("edge-*")
            .share(DIARY.share(0), "the edge threads' waiting for answers").say();
        System.exit(0);
    }

    private static ChannelInitializer<SocketChannel> lines(Supplier<ChannelHandler> last) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new LineBasedFrameDecoder(200), new StringDecoder(),
                    new StringEncoder(), last.get());
            }
        };
    }

    private static void serve(Questions questions, Channel channel, Random random) {
        try {
            while (true) {
                Truth.sleep(0.01 + random.nextDouble() * 0.03);
                long asked = System.nanoTime();
                questions.ask(channel, "fact " + random.nextInt(100));
                DIARY.waited(asked, System.nanoTime());
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private static void look(Questions questions, Channel channel, Random random) {
        try {
            while (true) {
                Truth.sleep(0.02 + random.nextDouble() * 0.05);
                questions.ask(channel, "picture " + random.nextInt(100));
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
