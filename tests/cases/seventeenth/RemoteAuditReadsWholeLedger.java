import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A ledger is a remote object: four tills enter sums over RMI and an auditor sums it up, each call on one of the
 * threads that RMI has for connections.
 *
 * Problem: Ledger.sumUp reads all entries from the disk, 50 ms, under the ledger's monitor. Truth: RMI's threads wait
 * for the Ledger because of Ledger.sumUp. Measured: when it is being summed up, within the entries' waits for the
 * monitor.
 */
final class RemoteAuditReadsWholeLedger {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Book extends Remote {
        void enter(int sum) throws RemoteException;

        int audit() throws RemoteException;
    }

    static final class Ledger {
        private int sum;

        synchronized void add(int amount) {
            sum += amount;
        }

        synchronized int sumUp() {
            long from = System.nanoTime();
            Truth.sleep(0.05);
            DIARY.held(0, from, System.nanoTime());
            return sum;
        }
    }

    static final class LedgerBook implements Book {
        private final Ledger ledger = new Ledger();

        @Override
        public void enter(int sum) {
            long from = System.nanoTime();
            ledger.add(sum);
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public int audit() {
            return ledger.sumUp();
        }
    }

    public static void main(String[] arguments) throws RemoteException {
        double seconds = Truth.seconds(arguments);
        LedgerBook local = new LedgerBook();
        Book book = (Book) UnicastRemoteObject.exportObject(local, 0);
        AtomicInteger entered = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("till-" + i, () -> {
                book.enter(entered.incrementAndGet());
                Thread.sleep(6);
            });
        }
        Truth.repeat("auditor", () -> {
            book.audit();
            Thread.sleep(40);
        });
        Truth.sleep(seconds);
        System.out.printf("%d entered, waited %.2f s in all%n", entered.get(), DIARY.waitedSeconds());
        Truth.of("a ledger is read from the disk under its monitor").object("Ledger").culprit("Ledger.sumUp")
            .thread("RMI TCP Connection(*)-*").victims("RMI TCP Connection(*)-*")
            .share(DIARY.share(0), "the entries' waiting").say();
        System.exit(0);
    }
}
