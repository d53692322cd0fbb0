import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.future.ConnectFuture;
import org.apache.mina.core.future.ReadFuture;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.executor.ExecutorFilter;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;
import org.apache.mina.transport.socket.nio.NioSocketConnector;

/**
 * A gateway on MINA, whose handlers run in an ordered pool of four threads. Five meters report twice a second and wait
 * for the receipt, which takes 2 ms. A sixth one has nothing to report; it waits for commands, of which none comes.
 * Somebody waits for the night, that is for a CountDownLatch that is not opened while the program runs.
 *
 * NEEDS: libmina2-java libslf4j-java (mina2-core.jar slf4j-api.jar slf4j-nop.jar)
 *
 * Problem: none: receipts come at once. Truth: healthy. Measured: the meters' time until the receipt.
 */
final class GatewayOfQuietMetersHealthy {
    static final AtomicLong ASKED = new AtomicLong();

    static final class Reports extends IoHandlerAdapter {
        @Override
        public void messageReceived(IoSession session, Object report) {
            Truth.sleep(0.002);
            session.write(IoBuffer.wrap(new byte[] {1}));
        }

        @Override
        public void exceptionCaught(IoSession session, Throwable reason) {
            session.closeNow();
        }
    }

    static final class Meter {
        private final IoSession session;

        Meter(SocketAddress gateway) {
            NioSocketConnector connector = new NioSocketConnector(1);
            connector.getSessionConfig().setUseReadOperation(true);
            connector.setHandler(new IoHandlerAdapter());
            ConnectFuture connected = connector.connect(gateway);
            connected.awaitUninterruptibly();
            session = connected.getSession();
        }

        void report() throws InterruptedException {
            long from = System.nanoTime();
            session.write(IoBuffer.wrap(new byte[] {7, 7}));
            ReadFuture receipt = session.read();
            receipt.await();
            ASKED.addAndGet(System.nanoTime() - from);
            Thread.sleep(500);
        }

        void obey() throws InterruptedException {
            session.read().await();
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        NioSocketAcceptor acceptor = new NioSocketAcceptor(2);
        acceptor.getFilterChain().addLast("pool", new ExecutorFilter(4, 4));
        acceptor.setHandler(new Reports());
        acceptor.bind(new InetSocketAddress("127.0.0.1", 0));
        SocketAddress gateway = acceptor.getLocalAddress();
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("meter-" + i, new Meter(gateway)::report);
        }
        Truth.repeat("commanded", new Meter(gateway)::obey);
        CountDownLatch night = new CountDownLatch(1);
        Truth.repeat("night-shift", () -> night.await(1, TimeUnit.HOURS));
        Truth.sleep(seconds);
        System.out.printf("meters waited %.2f s in all%n", ASKED.get() / 1e9);
        Truth.healthy("a gateway's threads wait for what is reported").object().culprit().thread().victims().noShare()
            .say();
        System.exit(0);
    }
}
