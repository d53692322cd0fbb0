import java.util.concurrent.locks.ReentrantLock;

/**
 * A server with a thread for each request, a virtual one where the JDK has them, some 80 a second. A request computes for
 * a moment, and asks a licence server by a client that one may use at a time, guarded by a ReentrantLock: 1 ms.
 *
 * Problem: each tenth of the calls finds its ticket expired, and fetches a new one with the lock in hand,
 * TicketOffice.renew, 90 ms. Truth: requests wait for the ReentrantLock because of TicketOffice.renew. Measured:
 * renewing and asking within the requests' waiting.
 */
final class ManyGuestsOneTurnstile {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class TicketOffice {
        private int left = 10;

        void renew() {
            long from = System.nanoTime();
            Truth.sleep(0.09);
            left = 10;
            DIARY.held(0, from, System.nanoTime());
        }
    }

    static final class Client {
        private final ReentrantLock lock = new ReentrantLock();
        private final TicketOffice office = new TicketOffice();

        void ask() {
            long from = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            DIARY.waited(from, got);
            try {
                if (office.left-- == 0) {
                    office.renew();
                    got = System.nanoTime();
                }
                Truth.sleep(0.001);
            } finally {
                DIARY.held(1, got, System.nanoTime());
                lock.unlock();
            }
        }
    }

    public static void main(String[] arguments) {
        Client client = new Client();
        for (int i = 0; i < 4; i++) {
            Truth.repeat("acceptor-" + i, () -> {
                Truth.virtual("request", client::ask);
                Thread.sleep(48);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("asking %.3f%n", DIARY.share(1));
        Truth.of("a ticket is renewed under the client's lock").object("ReentrantLock", "NonfairSync")
            .culprit("TicketOffice.renew").thread("request").victims("request")
            .share(DIARY.share(0), "the requests' waiting for the client").say();
    }
}
