import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.OutputStreamAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.layout.PatternLayout;

/**
 * A payment service of ten workers logs by Log4j 2, to a file and, as the auditors want, to another machine.
 *
 * NEEDS: liblog4j2-java (log4j-api.jar log4j-core.jar)
 *
 * Problem: the stream under the appender sends each line away before it goes on, AuditStream.ship, 4 ms, and forces
 * its file now and then, AuditStream.store. Truth: workers wait to enter the monitor of Log4j's OutputStreamManager
 * because of AuditStream.ship. Measured: the part of the workers' logging, but for the one that has the stream,
 * during which a line is sent, evenly shared with storing.
 */
final class LinesForcedAsTheyAreLogged {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = new ThreadLocal<>();

    static final class AuditStream extends OutputStream {
        private final FileChannel file;
        private int lines;

        AuditStream(FileChannel file) {
            this.file = file;
        }

        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            long from = System.nanoTime();
            DIARY.waited(ASKED.get(), from);
            store(ByteBuffer.wrap(bytes, offset, length));
            long then = System.nanoTime();
            DIARY.held(1, from, then);
            ship(length);
            DIARY.held(0, then, System.nanoTime());
        }

        private void store(ByteBuffer line) throws IOException {
            file.write(line);
            if (++lines % 4 == 0) {
                file.force(false);
                Truth.sleep(0.002);
            }
        }

        private void ship(int length) {
            Truth.sleep(length > 0 ? 0.004 : 0);
        }
    }

    static final class Payments {
        private final Logger logger;
        private final AtomicInteger paid = new AtomicInteger();

        Payments(Logger logger) {
            this.logger = logger;
        }

        void pay() {
            int number = paid.incrementAndGet();
            Truth.sleep(0.009);
            ASKED.set(System.nanoTime());
            logger.info("paid {} by {}", number, Thread.currentThread().getName());
        }
    }

    public static void main(String[] arguments) throws Exception {
        FileChannel file = FileChannel.open(Files.createTempFile("audit", ".log"), StandardOpenOption.WRITE);
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Configuration configuration = context.getConfiguration();
        OutputStreamAppender appender = OutputStreamAppender.newBuilder().setName("audit").setTarget(new AuditStream(file))
            .setLayout(PatternLayout.newBuilder().withPattern("%d %m%n").build()).setConfiguration(configuration).build();
        appender.start();
        configuration.getRootLogger().getAppenders().keySet().forEach(configuration.getRootLogger()::removeAppender);
        configuration.getRootLogger().addAppender(appender, Level.INFO, null);
        configuration.getRootLogger().setLevel(Level.INFO);
        context.updateLoggers();
        Payments payments = new Payments(LogManager.getLogger("payments"));
        AtomicInteger threads = new AtomicInteger();
        ExecutorService workers =
            Executors.newFixedThreadPool(10, work -> Truth.daemon("payment-" + threads.incrementAndGet(), work));
        for (int i = 0; i < 10; i++) {
            workers.execute(() -> {
                while (true) {
                    payments.pay();
                }
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("each line is sent to another machine under the log's monitor").object("OutputStreamManager")
            .culprit("AuditStream.ship").thread("payment-*").victims("payment-*")
            .share(DIARY.share(0), "the waiting to log").say();
        Runtime.getRuntime().halt(0);
    }
}
