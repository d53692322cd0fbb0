import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;

/**
 * Eight http threads log a line for every request. An appender of the house keeps the last lines in
 * memory, and for an error it sends them by mail, over a socket.
 *
 * NEEDS: liblogback-java libslf4j-java (logback-classic.jar logback-core.jar slf4j-api.jar)
 *
 * Problem: AppenderBase.doAppend is synchronized, so while AlertMailAppender.sendMail waits for the
 * mail server (60 to 120 ms), nobody can log. Truth: the appender's monitor and the mail. Measured:
 * when append ran with a mail and when without, within the time from the call of the logger until
 * append ran.
 */
final class AlertMailInAppender {
    private static final int MAIL = 0, LINE = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();
    private static final ThreadLocal<long[]> ASKED = ThreadLocal.withInitial(() -> new long[1]);

    static final class AlertMailAppender extends AppenderBase<ILoggingEvent> {
        private final String[] last = new String[100];
        private final int port;
        private int lines;

        AlertMailAppender(int port) {
            this.port = port;
        }

        @Override
        protected void append(ILoggingEvent event) {
            long from = System.nanoTime();
            DIARY.waited(ASKED.get()[0], from);
            last[lines++ % last.length] = event.getFormattedMessage();
            boolean error = event.getLevel().isGreaterOrEqual(Level.ERROR);
            if (error) {
                sendMail(String.join("\n", last));
            }
            DIARY.held(error ? MAIL : LINE, from, System.nanoTime());
        }

        private void sendMail(String text) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write(text.getBytes());
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Truth.start("smtpd", () -> accept(server));
        LoggerContext context = new LoggerContext();
        AlertMailAppender appender = new AlertMailAppender(server.getLocalPort());
        appender.setContext(context);
        appender.start();
        Logger logger = context.getLogger("shop");
        logger.addAppender(appender);
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.start("http-" + i, () -> serve(logger, random));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the appender mails errors while it holds the monitor that everybody logs under")
            .object("AlertMailAppender")
            .culprit("AlertMailAppender.sendMail", "AlertMailAppender.append")
            .thread("http-*").victims("http-*")
            .share(DIARY.share(MAIL), "the http threads' waiting for the appender").say();
    }

    private static void serve(Logger logger, Random random) {
        while (true) {
            Truth.sleep(0.004 + random.nextDouble() * 0.008);
            ASKED.get()[0] = System.nanoTime();
            if (random.nextInt(200) == 0) {
                logger.error("order {} not booked", random.nextInt());
            } else {
                logger.info("order {} booked", random.nextInt());
            }
        }
    }

    private static void accept(ServerSocket server) {
        Random random = new Random(99);
        while (true) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().readAllBytes();
                Truth.sleep(0.06 + random.nextDouble() * 0.06);
                socket.getOutputStream().write("250 OK\n".getBytes());
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }
}
