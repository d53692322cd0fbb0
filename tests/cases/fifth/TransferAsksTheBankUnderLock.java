import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * An account service books under one monitor. A transfer asks the bank over a socket meanwhile, which
 * answers after 60 ms; what is booked at home takes 1 ms.
 *
 * Problem: BankClient.confirm reads the bank's answer while the accounts are locked. Truth: whoever books
 * waits for a transfer. Measured: nothing but that.
 */
final class TransferAsksTheBankUnderLock {
    static final class BankClient {
        private final Socket socket;

        BankClient(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
        }

        int confirm(int amount) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(amount & 0xff);
            out.flush();
            return readAnswer(socket.getInputStream());
        }

        private int readAnswer(InputStream in) throws IOException {
            return in.read();
        }
    }

    static final class Accounts {
        private long balance;

        synchronized void book(int amount) {
            balance += amount;
            Truth.sleep(0.001);
        }

        synchronized void transfer(BankClient bank, int amount) throws IOException {
            if (bank.confirm(amount) >= 0) {
                balance -= amount;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Truth.repeat("bank", () -> {
            try (Socket client = server.accept()) {
                int amount;
                while ((amount = client.getInputStream().read()) >= 0) {
                    Truth.sleep(0.06);
                    client.getOutputStream().write(amount);
                }
            }
        });
        Accounts accounts = new Accounts();
        BankClient bank = new BankClient(server.getLocalPort());
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("booking-" + i, () -> {
                accounts.book(3);
                Truth.sleep(0.01);
            });
        }
        Truth.repeat("transfers", () -> {
            accounts.transfer(bank, 7);
            Truth.sleep(0.03);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a transfer reads the bank's answer while it has the accounts' monitor")
            .object("Accounts").culprit("Accounts.transfer", "BankClient.confirm", "BankClient.readAnswer")
            .thread("transfers").victims("booking-*").noShare().say();
    }
}
