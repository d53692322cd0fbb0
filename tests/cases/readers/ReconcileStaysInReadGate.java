import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;

/**
 * A ledger guarded by a home-made gate for readers and writers (a monitor with counters, writers
 * first). Tellers read balances, a posting thread writes, a reconciliation sometimes reads
 * everything.
 *
 * Problem: Reconciliation.sumBranches enters the gate as a reader and stays there for 100 to 200
 * ms, every 300 ms. The poster waits in the gate for it; because writers go first, tellers wait,
 * too. Nobody ever holds the gate's monitor for long: all waiting is in Object.wait.
 *
 * Truth: the gate and the reconciliation. Measured: who is inside of the gate, and the time of
 * tellers and the poster between asking for entrance and getting in.
 */
class ReconcileStaysInReadGate {
    private static final Truth.Diary diary = new Truth.Diary();
    private static final int RECONCILE = 0, TELLER = 1, POST = 2;

    public static void main(String[] args) {
        double seconds = Truth.seconds(args);
        Ledger ledger = new Ledger();
        for (int n = 1; n <= 10; n++) {
            new Teller(n, ledger).start();
        }
        new Poster(ledger).start();
        new Reconciliation(ledger).start();
        Timer clock = new Timer("clock", true);
        clock.schedule(new TimerTask() {
            @Override
            public void run() {
                ledger.postings.trimToSize();
            }
        }, 500, 500);
        Truth.sleep(seconds);
        Truth.of("Reconciliation.sumBranches stays inside of the ledger's gate for 100 to 200 ms; "
                + "the poster waits for it to leave and the tellers wait behind the poster")
            .object("ReadWriteGate")
            .culprit("Reconciliation.sumBranches", "Reconciliation.sumBranch")
            .thread("reconcile")
            .victims("teller-*", "poster")
            .share(diary.share(RECONCILE), "the waiting of tellers and poster for entrance")
            .say();
    }

    static void note(String kind, long asked, long got) {
        int who = kind.equals("reconcile") ? RECONCILE : kind.equals("teller") ? TELLER : POST;
        if (who != RECONCILE) {
            diary.waited(asked, got);
        }
        diary.held(who, got, System.nanoTime());
    }
}

class ReadWriteGate {
    private int readers, writersWaiting;
    private boolean writing;

    synchronized void enterRead() throws InterruptedException {
        while (writing || writersWaiting > 0) {
            wait();
        }
        readers++;
    }

    synchronized void leaveRead() {
        if (--readers == 0) {
            notifyAll();
        }
    }

    synchronized void enterWrite() throws InterruptedException {
        writersWaiting++;
        try {
            while (writing || readers > 0) {
                wait();
            }
            writing = true;
        } finally {
            writersWaiting--;
        }
    }

    synchronized void leaveWrite() {
        writing = false;
        notifyAll();
    }
}

class Ledger {
    final ReadWriteGate gate = new ReadWriteGate();
    final long[][] balances = new long[20][50];
    final java.util.ArrayList<Long> postings = new java.util.ArrayList<>();
}

abstract class Clerk extends Thread {
    final Ledger ledger;
    final Random random;

    Clerk(String name, Ledger ledger, int seed) {
        super(name);
        this.ledger = ledger;
        this.random = new Random(seed);
        setDaemon(true);
    }

    @Override
    public final void run() {
        try {
            while (true) {
                work();
            }
        } catch (InterruptedException e) {
            // the end
        }
    }

    abstract void work() throws InterruptedException;
}

class Teller extends Clerk {
    Teller(int number, Ledger ledger) {
        super("teller-" + number, ledger, number);
    }

    @Override
    void work() throws InterruptedException {
        balance(random.nextInt(20), random.nextInt(50));
        Thread.sleep(5 + random.nextInt(20));
    }

    private long balance(int branch, int account) throws InterruptedException {
        long asked = System.nanoTime();
        ledger.gate.enterRead();
        long got = System.nanoTime();
        try {
            return ledger.balances[branch][account];
        } finally {
            ReconcileStaysInReadGate.note("teller", asked, got);
            ledger.gate.leaveRead();
        }
    }
}

class Poster extends Clerk {
    Poster(Ledger ledger) {
        super("poster", ledger, 77);
    }

    @Override
    void work() throws InterruptedException {
        Thread.sleep(10 + random.nextInt(20));
        post(random.nextInt(20), random.nextInt(50), random.nextInt(1000));
    }

    private void post(int branch, int account, long amount) throws InterruptedException {
        long asked = System.nanoTime();
        ledger.gate.enterWrite();
        long got = System.nanoTime();
        try {
            ledger.balances[branch][account] += amount;
        } finally {
            ReconcileStaysInReadGate.note("poster", asked, got);
            ledger.gate.leaveWrite();
        }
    }
}

class Reconciliation extends Clerk {
    Reconciliation(Ledger ledger) {
        super("reconcile", ledger, 99);
    }

    @Override
    void work() throws InterruptedException {
        sumBranches();
        Thread.sleep(150);
    }

    long sumBranches() throws InterruptedException {
        ledger.gate.enterRead();
        long got = System.nanoTime();
        try {
            long sum = 0;
            for (long[] branch : ledger.balances) {
                sum += sumBranch(branch);
            }
            return sum;
        } finally {
            ReconcileStaysInReadGate.note("reconcile", got, got);
            ledger.gate.leaveRead();
        }
    }

    private long sumBranch(long[] accounts) throws InterruptedException {
        Thread.sleep(5 + random.nextInt(5)); // each branch has its confirmation fetched
        long sum = 0;
        for (long account : accounts) {
            sum += account;
        }
        return sum;
    }
}
