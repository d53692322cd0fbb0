import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.RollingFileAppender;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverDescription;
import org.apache.logging.log4j.core.appender.rolling.RolloverDescriptionImpl;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.layout.PatternLayout;

/**
 * Six clerks log with Log4j 2 into a file that is rolled over at 16 KB.
 *
 * NEEDS: liblog4j2-java (log4j-api.jar log4j-core.jar)
 *
 * Problem: UploadAction.execute, which brings the rolled file to an archive in 60 ms, is given back as the synchronous
 * action of the rollover: whoever logs the message that fills the file uploads it, and the others wait. Truth: clerks
 * wait for the RollingFileManager because of UploadAction.execute or Archive.receive. Measured: when something is
 * uploaded, within the calls of the logger by the other clerks that take more than 1 ms.
 */
final class RolledLogIsUploadedFirst {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Boolean> UPLOADED = ThreadLocal.withInitial(() -> false);

    static final class Archive {
        static void receive(Path file) throws IOException {
            Truth.sleep(0.06);
            Files.deleteIfExists(file);
        }
    }

    static final class UploadAction extends AbstractAction {
        private final Path file;

        UploadAction(Path file) {
            this.file = file;
        }

        @Override
        public boolean execute() throws IOException {
            long from = System.nanoTime();
            Archive.receive(file);
            DIARY.held(0, from, System.nanoTime());
            UPLOADED.set(true);
            return true;
        }
    }

    static final class UploadStrategy implements RolloverStrategy {
        @Override
        public RolloverDescription rollover(RollingFileManager manager) {
            return new RolloverDescriptionImpl(manager.getFileName(), false,
                new UploadAction(Path.of(manager.getFileName())), null);
        }
    }

    static final class Clerk {
        private final Logger logger;
        private int number;

        Clerk(Logger logger) {
            this.logger = logger;
        }

        void book() throws InterruptedException {
            UPLOADED.set(false);
            long from = System.nanoTime();
            logger.error("booked number {} of today, which is paid for and will be sent by the evening coach", ++number);
            long to = System.nanoTime();
            if (to - from > 1_000_000 && !UPLOADED.get()) {
                DIARY.waited(from, to);
            }
            Thread.sleep(4);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        Path file = Files.createTempDirectory("log").resolve("clerks.log");
        RollingFileAppender appender = RollingFileAppender.newBuilder().setName("clerks")
            .withFileName(file.toString()).withFilePattern(file + ".%i")
            .withPolicy(SizeBasedTriggeringPolicy.createPolicy("16KB")).withStrategy(new UploadStrategy())
            .setLayout(PatternLayout.newBuilder().withPattern("%d %t %m%n").build()).build();
        appender.start();
        Logger logger = ((LoggerContext) LogManager.getContext(false)).getLogger("clerks");
        logger.setAdditive(false);
        logger.addAppender(appender);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("clerk-" + i, new Clerk(logger)::book);
        }
        DIARY.fill(seconds);
        Truth.of("a full log file is uploaded before anything else is logged").object("RollingFileManager")
            .culprit("UploadAction.execute", "Archive.receive").thread("clerk-*").victims("clerk-*")
            .share(DIARY.share(0), "the clerks' waiting for the log").say();
        System.exit(0);
    }
}
