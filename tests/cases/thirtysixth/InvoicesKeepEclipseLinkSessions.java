import org.eclipse.persistence.logging.SessionLog;
import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.Project;
import org.eclipse.persistence.sessions.server.ClientSession;
import org.eclipse.persistence.sessions.server.ServerSession;

/**
 * A shop keeps its stock in H2 through EclipseLink, whose pool has two connections for transactions.
 * Five shelves book what was sold, a transaction of 2 ms each.
 *
 * NEEDS: libeclipselink-java libh2-java (eclipselink.jar eclipselink-jpa-2.1-spec.jar h2.jar)
 *
 * Problem: two clerks print an invoice within their transaction, Invoice.print, 25 ms. Truth: shelves
 * wait for EclipseLink's ConnectionPool because of Invoice.print. Measured: the part of the shelves'
 * waiting for a connection during which invoices are printed, evenly shared with who else has one.
 */
final class InvoicesKeepEclipseLinkSessions {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Invoice {
        private final int number;

        Invoice(int number) {
            this.number = number;
        }

        int print() {
            int length = 0;
            for (int page = 0; page < 5; page++) {
                Truth.sleep(0.005);
                length += 1000 + number;
            }
            return length;
        }
    }

    interface InTransaction {
        int with(ClientSession session);
    }

    static final class Store {
        private final ServerSession server;

        Store(int connections) {
            DatabaseLogin login = new DatabaseLogin();
            login.setDriverClassName("org.h2.Driver");
            login.setConnectionString("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
            login.setUserName("sa");
            login.setPassword("");
            server = (ServerSession) new Project(login).createServerSession(connections, connections);
            server.setLogLevel(SessionLog.OFF);
            server.getDefaultConnectionPolicy().dontUseLazyConnection();
            server.login();
            server.executeNonSelectingSQL("CREATE TABLE stock (id INT PRIMARY KEY, pieces INT)");
            for (int i = 1; i <= 20; i++) {
                server.executeNonSelectingSQL("INSERT INTO stock VALUES (" + i + ", 0)");
            }
        }

        int transact(int who, InTransaction work) {
            long asked = System.nanoTime();
            ClientSession session = server.acquireClientSession();
            long from = System.nanoTime();
            if (who == 1) {
                DIARY.waited(asked, from);
            }
            session.beginTransaction();
            int result = work.with(session);
            session.commitTransaction();
            DIARY.held(who, from, System.nanoTime());
            session.release();
            return result;
        }
    }

    public static void main(String[] arguments) {
        Store store = new Store(2);
        for (int i = 1; i <= 2; i++) {
            int row = 10 + i;
            Truth.repeat("invoicing-" + i, () -> {
                Invoice invoice = new Invoice(row);
                store.transact(0, session -> {
                    session.executeNonSelectingSQL("UPDATE stock SET pieces = pieces - 1 WHERE id = " + row);
                    return invoice.print();
                });
                Thread.sleep(9);
            });
        }
        for (int i = 1; i <= 5; i++) {
            int row = i;
            Truth.repeat("shelf-" + i, () -> {
                store.transact(1, session -> {
                    Truth.sleep(0.002);
                    session.executeNonSelectingSQL("UPDATE stock SET pieces = pieces + 1 WHERE id = " + row);
                    return row;
                });
                Thread.sleep(7);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("invoices are printed with one of two connections in hand").object("ConnectionPool")
            .culprit("Invoice.print").thread("invoicing-*").victims("shelf-*")
            .share(DIARY.share(0), "the shelves' waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}
