import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A pool of three connections, made at home of an ArrayBlockingQueue. Five queries need one for 3 ms each. An export
 * takes one, and leaves the rows to a thread of the server's that writes them to the client, and gives the connection
 * back as it closes the stream.
 *
 * Problem: clients of two exports read slowly: ResponseBody.write, 25 ms for each of ten parts. Truth: queries wait for
 * the pool because of ResponseBody.write. Measured: the part of the waiting for a connection during which streams are
 * written, evenly shared with queries.
 */
final class ExportsStreamWithTheConnection {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Connection(int number) {
    }

    static final class ConnectionPool {
        private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(3);

        ConnectionPool() {
            for (int i = 1; i <= 3; i++) {
                idle.add(new Connection(i));
            }
        }

        Connection borrow() throws InterruptedException {
            Connection connection = idle.poll(5, TimeUnit.SECONDS);
            if (connection == null) {
                throw new IllegalStateException("no connection in 5 s");
            }
            return connection;
        }

        void giveBack(Connection connection) {
            idle.add(connection);
        }
    }

    static final class ResponseBody {
        private int parts;

        void write(Connection connection) {
            Truth.sleep(0.025);
            parts += connection.number();
        }
    }

    static final class RowStream {
        private final ConnectionPool pool;
        private final Connection connection;
        private final CountDownLatch closed = new CountDownLatch(1);
        private final long opened = System.nanoTime();

        RowStream(ConnectionPool pool) throws InterruptedException {
            this.pool = pool;
            connection = pool.borrow();
        }

        void sendTo(ResponseBody body) {
            for (int part = 0; part < 10; part++) {
                body.write(connection);
            }
        }

        void close(long began) {
            DIARY.held(0, began, System.nanoTime());
            pool.giveBack(connection);
            closed.countDown();
        }
    }

    static final class QueryService {
        private final ConnectionPool pool;

        QueryService(ConnectionPool pool) {
            this.pool = pool;
        }

        void find() throws InterruptedException {
            long from = System.nanoTime();
            Connection connection = pool.borrow();
            long began = System.nanoTime();
            DIARY.waited(from, began);
            try {
                Truth.sleep(0.003);
            } finally {
                DIARY.held(1, began, System.nanoTime());
                pool.giveBack(connection);
            }
        }
    }

    public static void main(String[] arguments) {
        ConnectionPool pool = new ConnectionPool();
        QueryService queries = new QueryService(pool);
        BlockingQueue<RowStream> writing = new LinkedBlockingQueue<>();
        ResponseBody body = new ResponseBody();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("server-writer-" + i, () -> {
                RowStream stream = writing.take();
                long began = System.nanoTime();
                stream.sendTo(body);
                stream.close(began);
            });
            Truth.repeat("export-" + i, () -> {
                RowStream stream = new RowStream(pool);
                writing.put(stream);
                stream.closed.await();
                Thread.sleep(30);
            });
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("query-" + i, () -> {
                queries.find();
                Thread.sleep(6);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a stream keeps its connection until a slow client has read it")
            .object("ConditionObject", "ArrayBlockingQueue").culprit("ResponseBody.write").thread("server-writer-*")
            .victims("query-*").share(DIARY.share(0), "the queries' waiting for a connection").say();
    }
}
