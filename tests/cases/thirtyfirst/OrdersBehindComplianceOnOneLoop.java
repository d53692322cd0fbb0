import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Six desks place orders by an event executor of Netty's: each waits for its Promise. Another executor of the same
 * kind keeps prices, in time.
 *
 * NEEDS: libnetty-java (netty-common.jar)
 *
 * Problem: the order executor has a compliance scan each 100 ms, Compliance.scan, which takes 55 ms; an order takes
 * 1 ms, Book.place. Truth: desks wait for a DefaultPromise because of Compliance.scan. Measured: the part of the
 * desks' waiting during which it scans, against placing.
 */
final class OrdersBehindComplianceOnOneLoop {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Compliance {
        private int scanned;

        void scan() {
            long from = System.nanoTime();
            for (int i = 0; i < 11; i++) {
                Truth.sleep(0.005);
                scanned++;
            }
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Book {
        private int orders;

        void place(Promise<Integer> order) {
            long from = System.nanoTime();
            Truth.sleep(0.001);
            DIARY.held(1, from, System.nanoTime());
            order.setSuccess(++orders);
        }
    }

    /** What goes on beside: tasks by the clock, mail, meters, a log, garbage. */
    static final class Beside {
        static volatile byte[] kept;
        private static int read;

        static void start() throws IOException {
            ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(2, work -> Truth.daemon("clock", work));
            clock.scheduleAtFixedRate(() -> Truth.sleep(0.0005), 50, 50, TimeUnit.MILLISECONDS);
            clock.scheduleWithFixedDelay(() -> Truth.sleep(0.002), 300, 700, TimeUnit.MILLISECONDS);
            LinkedBlockingQueue<Integer> mail = new LinkedBlockingQueue<>();
            Truth.repeat("mailbox", () -> {
                mail.put(1);
                Thread.sleep(9);
            });
            for (int i = 1; i <= 3; i++) {
                Truth.repeat("postman-" + i, () -> {
                    mail.take();
                    Truth.sleep(0.001);
                });
            }
            ReentrantLock meter = new ReentrantLock();
            for (int i = 1; i <= 3; i++) {
                Truth.repeat("meter-" + i, () -> {
                    meter.lock();
                    try {
                        read++;
                    } finally {
                        meter.unlock();
                    }
                    Thread.sleep(4);
                });
            }
            ArrayBlockingQueue<String> lines = new ArrayBlockingQueue<>(256);
            Writer log = Files.newBufferedWriter(Files.createTempFile("beside", ".log"));
            Truth.repeat("log-writer", () -> log.write(lines.take()));
            Truth.repeat("garbage", () -> {
                kept = new byte[1 << 18];
                lines.put("kept " + kept.length + "\n");
                Thread.sleep(6);
            });
        }
    }

    public static void main(String[] arguments) throws Exception {
        EventExecutor loop = new DefaultEventExecutor(new DefaultThreadFactory("orders", true));
        EventExecutor prices = new DefaultEventExecutor(new DefaultThreadFactory("prices", true));
        Compliance compliance = new Compliance();
        Book book = new Book();
        loop.scheduleAtFixedRate(compliance::scan, 100, 100, TimeUnit.MILLISECONDS);
        AtomicInteger ticks = new AtomicInteger();
        Truth.repeat("feed", () -> {
            prices.execute(ticks::incrementAndGet);
            Thread.sleep(3);
        });
        Beside.start();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("desk-" + i, () -> {
                Promise<Integer> order = loop.newPromise();
                long from = System.nanoTime();
                loop.execute(() -> book.place(order));
                order.sync();
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(9);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a scan runs on the executor that places orders").object("DefaultPromise")
            .culprit("Compliance.scan").thread("orders-*-*").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for orders").say();
        Runtime.getRuntime().halt(0);
    }
}
