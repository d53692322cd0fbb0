import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Seven requests log four lines each, through Logback's asynchronous appender (a queue of 64 lines) into a file.
 *
 * NEEDS: liblogback-java libslf4j-java (logback-classic.jar logback-core.jar slf4j-api.jar)
 *
 * Problem: the volume is nearly full: every 40 lines Volume.sync looks for room and takes 110 ms. The queue is full
 * then, and who logs waits. Truth: requests wait for the appender's ArrayBlockingQueue because of Volume.sync, which
 * the appender's worker runs. Measured: Volume.sync and writing within the requests' logging.
 */
final class LogLinesAwaitAFullVolume {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Volume {
        private int lines;

        void write(String line) {
            if (++lines % 40 == 0) {
                sync(line.length());
            }
        }

        private void sync(int bytes) {
            long from = System.nanoTime();
            Truth.sleep(0.11);
            lines += bytes < 0 ? 1 : 0;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class FileAppender extends AppenderBase<ILoggingEvent> {
        private final Volume volume = new Volume();

        @Override
        protected void append(ILoggingEvent event) {
            volume.write(event.getFormattedMessage());
        }
    }

    static final class Shop {
        private final Logger log;
        final AtomicInteger served = new AtomicInteger();

        Shop(Logger log) {
            this.log = log;
        }

        void serve() {
            for (String step : new String[] {"asked", "found", "priced", "answered"}) {
                log.info("{} {}", step, served.get());
            }
            served.incrementAndGet();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        LoggerContext context = new LoggerContext();
        FileAppender file = new FileAppender();
        AsyncAppender async = new AsyncAppender();
        async.setQueueSize(64);
        async.setDiscardingThreshold(0);
        file.setContext(context);
        file.start();
        async.setContext(context);
        async.addAppender(file);
        async.start();
        Logger log = context.getLogger("shop");
        log.setLevel(Level.INFO);
        log.addAppender(async);
        Shop shop = new Shop(log);
        DIARY.clients("request", 7, 30, shop::serve);
        Truth.sleep(seconds);
        System.out.printf("%d served, waited %.2f s%n", shop.served.get(), DIARY.waitedSeconds());
        Truth.of("an appender's worker writes to a volume that is nearly full").object("ArrayBlockingQueue",
            "ConditionObject", "AsyncAppender").culprit("Volume.sync").thread("AsyncAppender-Worker-null")
            .victims("request-*").share(DIARY.share(0), "the requests' logging").say();
        Runtime.getRuntime().halt(0);
    }
}
