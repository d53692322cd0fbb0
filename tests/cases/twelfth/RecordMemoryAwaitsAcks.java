import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A producer of records keeps those that have not been acknowledged in memory of a fixed size. Who finds too little of
 * it waits at a condition of its own, first come, first served, as records differ in size. One thread sends the records
 * and awaits the broker's acknowledgement of each.
 *
 * Problem: the broker forces each record to disk (Broker.append, 9 ms), so the memory is always full. Truth: orders
 * wait for a ConditionObject because of Sender.send, which reads the acknowledgement from a socket, or Broker.append at
 * its other end. Measured: the part of their waiting during which the broker appends.
 */
final class RecordMemoryAwaitsAcks {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class RecordMemory {
        private final ReentrantLock lock = new ReentrantLock();
        private final Deque<Condition> waiters = new ArrayDeque<>();
        private int free = 4096;

        void allocate(int size) throws InterruptedException {
            lock.lock();
            try {
                if (free >= size && waiters.isEmpty()) {
                    free -= size;
                    return;
                }
                long from = System.nanoTime();
                Condition enough = lock.newCondition();
                waiters.addLast(enough);
                try {
                    while (free < size || waiters.peekFirst() != enough) {
                        enough.await();
                    }
                    free -= size;
                } finally {
                    waiters.remove(enough);
                    ringFirst();
                }
                DIARY.waited(from, System.nanoTime());
            } finally {
                lock.unlock();
            }
        }

        void free(int size) {
            lock.lock();
            try {
                free += size;
                ringFirst();
            } finally {
                lock.unlock();
            }
        }

        private void ringFirst() {
            if (free > 0 && !waiters.isEmpty()) {
                waiters.peekFirst().signal();
            }
        }
    }

    static final class Broker {
        private final InputStream in;
        private final OutputStream out;
        private long offset;

        Broker(Socket connection) throws IOException {
            in = connection.getInputStream();
            out = connection.getOutputStream();
            Truth.repeat("broker", this::serve);
        }

        private void serve() throws IOException, InterruptedException {
            int kilobytes = in.read();
            long from = System.nanoTime();
            append(kilobytes);
            DIARY.held(0, from, System.nanoTime());
            out.write(1);
        }

        private void append(int kilobytes) throws InterruptedException {
            Thread.sleep(9);
            offset += kilobytes;
        }
    }

    static final class Sender {
        private final RecordMemory memory = new RecordMemory();
        private final BlockingQueue<Integer> records = new LinkedBlockingQueue<>();
        private final Socket socket;

        Sender(Socket socket) {
            this.socket = socket;
            Truth.repeat("producer-network", this::send);
        }

        void publish(int size) throws InterruptedException {
            memory.allocate(size);
            records.add(size);
        }

        private void send() throws IOException, InterruptedException {
            int size = records.take();
            socket.getOutputStream().write(size / 1024);
            socket.getInputStream().read();
            memory.free(size);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        double seconds = Truth.seconds(arguments);
        Sender sender;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            sender = new Sender(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()));
            new Broker(server.accept());
        }
        for (int i = 1; i <= 7; i++) {
            int size = 1024 * (1 + i % 3);
            Truth.repeat("order-" + i, () -> {
                sender.publish(size);
                Thread.sleep(12);
            });
        }
        DIARY.fill(seconds);
        Truth.of("memory for records is full, as each is acknowledged only when it is on the broker's disk")
            .object("ConditionObject", "RecordMemory").culprit("Sender.send", "Broker.append", "Broker.serve")
            .thread("producer-network", "broker").victims("order-*")
            .share(DIARY.share(0), "the orders' waiting for memory").say();
    }
}
