import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.Random;

/**
 * Six request threads log a line each two milliseconds through an asynchronous appender with room for
 * 256 lines, which the shipper behind it sends away at two milliseconds each.
 *
 * NEEDS: liblogback-java libslf4j-java (logback-classic.jar logback-core.jar slf4j-api.jar)
 *
 * Problem: Shipper.append is slower than all that is logged; the queue is full. Truth: requests wait for
 * room because of it. Measured: when the shipper sends, against the requests' time in Logger.info.
 */
final class AuditShippingFillsAsyncLog {
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class Shipper extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(0, from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        LoggerContext context = new LoggerContext();
        Shipper shipper = new Shipper();
        shipper.setContext(context);
        shipper.start();
        AsyncAppender behind = new AsyncAppender();
        behind.setContext(context);
        behind.setQueueSize(256);
        behind.setDiscardingThreshold(0);
        behind.addAppender(shipper);
        behind.start();
        Logger log = context.getLogger("audit");
        log.addAppender(behind);
        log.setAdditive(false);
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.repeat("request-" + i, () -> {
                Truth.sleep(0.001 + random.nextDouble() * 0.002);
                long from = System.nanoTime();
                log.info("request served");
                long to = System.nanoTime();
                if (to - from > 100_000) {
                    DIARY.waited(from, to);
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("lines are shipped more slowly than they are logged; the full queue holds up requests")
            .object("ConditionObject", "ArrayBlockingQueue", "AsyncAppender")
            .culprit("Shipper.append")
            .thread("AsyncAppender-Worker-*").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for room in the queue").say();
        System.exit(0);
    }
}
