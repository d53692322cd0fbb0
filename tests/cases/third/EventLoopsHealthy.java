import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetAddress;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server that echoes, on two event loops, with its handlers on an executor group of four; three
 * pingers send a byte 20 times a second and wait for it, which is there in a millisecond. A wheel of
 * timers turns.
 *
 * NEEDS: libnetty-java
 * (netty-buffer.jar netty-codec.jar netty-common.jar netty-resolver.jar netty-transport.jar)
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class EventLoopsHealthy {
    public static void main(String[] arguments) throws InterruptedException {
        EventLoopGroup loops = new NioEventLoopGroup(2, new DefaultThreadFactory("echo"));
        EventExecutorGroup handlers = new DefaultEventExecutorGroup(4,
            new DefaultThreadFactory("handler"));
        Channel server = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(handlers, new Echo());
                }
            }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        HashedWheelTimer wheel = new HashedWheelTimer(new DefaultThreadFactory("wheel", true));
        wheel.newTimeout(timeout -> wheel.newTimeout(timeout.task(), 1, TimeUnit.SECONDS), 1,
            TimeUnit.SECONDS);
        EventLoopGroup client = new NioEventLoopGroup(1, new DefaultThreadFactory("ping-loop"));
        for (int i = 1; i <= 3; i++) {
            ArrayBlockingQueue<Byte> answers = new ArrayBlockingQueue<>(10);
            Channel channel = new Bootstrap().group(client).channel(NioSocketChannel.class)
                .handler(new Answers(answers)).connect(server.localAddress()).sync().channel();
            Random random = new Random(i);
            Thread thread = new Thread(() -> ping(channel, answers, random), "pinger-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("loops, handlers and the wheel wait for something to do; answers come at once")
            .object().culprit().thread().victims().noShare().say();
        System.exit(0);
    }

    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            context.writeAndFlush(bytes);
        }
    }

    static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
        private final ArrayBlockingQueue<Byte> answers;

        Answers(ArrayBlockingQueue<Byte> answers) {
            this.answers = answers;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            answers.add(bytes.readByte());
        }
    }

    private static void ping(Channel channel, ArrayBlockingQueue<Byte> answers, Random random) {
        try {
            while (true) {
                Truth.sleep(0.04 + random.nextDouble() * 0.02);
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) random.nextInt()}));
                answers.take();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
