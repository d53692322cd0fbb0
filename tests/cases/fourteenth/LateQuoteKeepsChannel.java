import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.FixedChannelPool;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Five brokers ask an exchange for quotes, over Netty: a FixedChannelPool has three channels, and a broker waits at
 * most 50 ms for its quote.
 *
 * NEEDS: libnetty-java
 * (netty-transport.jar netty-common.jar netty-buffer.jar netty-resolver.jar)
 *
 * Problem: QuoteClient.ask releases the channel only if the quote came in time. Since the second second some come after
 * 200 ms, and soon the pool has no channel left. Truth: stuck, brokers wait for the pool's DefaultPromise because of
 * QuoteClient.ask.
 */
final class LateQuoteKeepsChannel {
    static final AttributeKey<CompletableFuture<Object>> REPLY = AttributeKey.valueOf("reply");

    static final class Exchange extends SimpleChannelInboundHandler<Object> {
        private final long lateFrom;

        Exchange(long lateFrom) {
            this.lateFrom = lateFrom;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object share) {
            boolean late = System.nanoTime() > lateFrom && (Integer) share % 5 == 0;
            context.executor().schedule(() -> context.writeAndFlush("12.50"), late ? 200 : 4, TimeUnit.MILLISECONDS);
        }
    }

    static final class Replies extends SimpleChannelInboundHandler<Object> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, Object quote) {
            context.channel().attr(REPLY).get().complete(quote);
        }
    }

    record QuoteClient(FixedChannelPool channels) {
        Object ask(int share) throws Exception {
            Channel channel = channels.acquire().sync().getNow();
            CompletableFuture<Object> reply = new CompletableFuture<>();
            channel.attr(REPLY).set(reply);
            channel.writeAndFlush(share);
            Object quote = reply.get(50, TimeUnit.MILLISECONDS);
            channels.release(channel).sync();
            return quote;
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        long later = System.nanoTime() + 1_300_000_000L;
        LocalAddress address = new LocalAddress("exchange");
        EventLoopGroup serving = new DefaultEventLoopGroup(2, new DefaultThreadFactory("exchange", true));
        EventLoopGroup asking = new DefaultEventLoopGroup(2, new DefaultThreadFactory("quotes", true));
        new ServerBootstrap().group(serving).channel(LocalServerChannel.class)
            .childHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Exchange(later));
                }
            }).bind(address).sync();
        Bootstrap client = new Bootstrap().group(asking).channel(LocalChannel.class).remoteAddress(address);
        FixedChannelPool channels = new FixedChannelPool(client, new AbstractChannelPoolHandler() {
            @Override
            public void channelCreated(Channel channel) {
                channel.pipeline().addLast(new Replies());
            }
        }, 3);
        QuoteClient quotes = new QuoteClient(channels);
        List<Thread> brokers = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            int first = i;
            Thread broker = new Thread(() -> {
                for (int share = first;; share++) {
                    try {
                        quotes.ask(share);
                    } catch (TimeoutException late) {
                        System.out.println("no quote of " + share);
                    } catch (Exception exception) {
                        System.out.println(exception);
                        return;
                    }
                    Truth.sleep(0.02);
                }
            }, "broker-" + i);
            broker.setDaemon(true);
            broker.start();
            brokers.add(broker);
        }
        Truth.hangsOnce(brokers);
        Truth.sayAndHalt(Truth.stuck("channels are not released when a quote is late")
            .object("DefaultPromise").culprit("QuoteClient.ask").thread("broker-*").victims("broker-*").noShare(),
            seconds);
        Thread.sleep((long) (seconds * 2000));
    }
}
