import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Properties;
import javax.activation.DataHandler;
import javax.activation.DataSource;
import javax.mail.Address;
import javax.mail.Message;
import javax.mail.Session;
import javax.mail.Transport;
import javax.mail.internet.InternetAddress;
import javax.mail.internet.MimeMessage;

/**
 * Five alarms and a clerk send mail over the one connection that the service has to its relay, which answers at once.
 *
 * NEEDS: libmail-java libjaf-java (javax.mail.jar javax.activation.jar)
 *
 * Problem: a mail of the clerk is an invoice whose scan is fetched from an archive, in 70 ms, only as the message is
 * written, and sendMessage is synchronized. Truth: alarms wait for the SMTPTransport because of
 * ScanOfInvoice.getInputStream or ScanArchive.fetch. Measured: when a scan is fetched, within the alarms' calls that take
 * more than 1 ms before their own text is read.
 */
final class ScansAreReadWithinTransport {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = new ThreadLocal<>();
    static final int SCAN = 0, REST = 1;

    static final class ScanArchive {
        static byte[] fetch() {
            Truth.sleep(0.07);
            return new byte[2000];
        }
    }

    abstract static class Source implements DataSource {
        @Override
        public OutputStream getOutputStream() throws IOException {
            throw new IOException("only read");
        }

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }

        @Override
        public String getName() {
            return "content";
        }
    }

    static final class ScanOfInvoice extends Source {
        @Override
        public InputStream getInputStream() {
            long from = System.nanoTime();
            byte[] scan = ScanArchive.fetch();
            DIARY.held(SCAN, from, System.nanoTime());
            return new ByteArrayInputStream(scan);
        }
    }

    static final class AlarmText extends Source {
        @Override
        public InputStream getInputStream() {
            long now = System.nanoTime();
            if (ASKED.get() != 0 && now - ASKED.get() > 1_000_000) {
                DIARY.waited(ASKED.get(), now);
            }
            ASKED.set(0L);
            return new ByteArrayInputStream("too warm".getBytes());
        }
    }

    /** A relay that takes everything. */
    static void relay(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        OutputStream out = socket.getOutputStream();
        out.write("220 relay\r\n".getBytes());
        boolean inData = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (inData && !line.equals(".")) {
                continue;
            }
            boolean begins = line.equalsIgnoreCase("DATA");
            out.write((begins ? "354 go on\r\n" : "250 ok\r\n").getBytes());
            inData = begins;
        }
    }

    record Sender(Session session, Transport transport) {
        void send(DataSource content, long pauseMillis) throws Exception {
            MimeMessage message = new MimeMessage(session);
            message.setFrom(new InternetAddress("service@example.org"));
            Address[] to = {new InternetAddress("duty@example.org")};
            message.setRecipients(Message.RecipientType.TO, to);
            message.setDataHandler(new DataHandler(content));
            message.setHeader("Content-Transfer-Encoding", "base64");
            message.saveChanges();
            ASKED.set(System.nanoTime());
            transport.sendMessage(message, to);
            Thread.sleep(pauseMillis);
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Truth.seconds(arguments);
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Truth.repeat("relay", () -> relay(server.accept()));
        Session session = Session.getInstance(new Properties());
        Transport transport = session.getTransport("smtp");
        transport.connect("127.0.0.1", server.getLocalPort(), null, null);
        for (int i = 1; i <= 5; i++) {
            Sender sender = new Sender(session, transport);
            Truth.repeat("alarm-" + i, () -> sender.send(new AlarmText(), 30));
        }
        Sender clerk = new Sender(session, transport);
        Truth.repeat("clerk", () -> clerk.send(new ScanOfInvoice(), 90));
        DIARY.fill(seconds);
        Truth.of("a scan is fetched while the connection is the sender's").object("SMTPTransport")
            .culprit("ScanOfInvoice.getInputStream", "ScanArchive.fetch").thread("clerk").victims("alarm-*")
            .noShare().say();
        System.exit(0);
    }
}
