import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Billing threads ask a desk for tariffs and await the answer on a condition. One loader thread
 * serves the desk: it knows some countries by heart and fetches the others from the tariff
 * office.
 *
 * Problem: TariffOffice.fetch takes 40 to 80 ms and there is one loader only, so all billing
 * threads wait for its signal nearly all of the time. The desk's lock itself is held for
 * microseconds and never contended.
 *
 * Truth: the condition, the fetch, the loader's thread. Measured: when the loader fetches and
 * when it does something else, and how long billing threads wait for their answer.
 */
class TariffFetchSignalsLate {
    static final int FETCH = 0, OTHER = 1;
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] args) {
        TariffDesk desk = new TariffDesk();
        TariffLoader loader = new TariffLoader(desk);
        daemon("tariff-loader", loader::serve);
        for (int i = 1; i <= 4; i++) {
            BillingRun run = new BillingRun(desk, new Random(i));
            daemon("billing-" + i, run::billAll);
        }
        Object lunch = new Object();
        daemon("reminder", () -> {
            synchronized (lunch) {
                while (true) {
                    lunch.wait(400);
                }
            }
        });
        Truth.sleep(Truth.seconds(args));
        Truth.of("billing threads wait for tariffs that the single loader fetches one by one, 40 "
                + "to 80 ms each, in TariffOffice.fetch")
            .object("ConditionObject")
            .culprit("TariffOffice.fetch", "TariffLoader.load", "TariffLoader.serve")
            .thread("tariff-loader")
            .victims("billing-*")
            .share(DIARY.share(FETCH), "the billing threads' waiting for an answer")
            .say();
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static void daemon(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                return;
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}

/** Where requests lie and answers are announced. */
class TariffDesk {
    static final class Request {
        final int country;
        double tariff = -1;

        Request(int country) {
            this.country = country;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition asked = lock.newCondition(), answered = lock.newCondition();
    private final Deque<Request> requests = new ArrayDeque<>();

    double ask(int country) throws InterruptedException {
        Request request = new Request(country);
        lock.lock();
        try {
            requests.add(request);
            asked.signal();
            awaitAnswer(request);
            return request.tariff;
        } finally {
            lock.unlock();
        }
    }

    private void awaitAnswer(Request request) throws InterruptedException {
        long from = System.nanoTime();
        while (request.tariff < 0) {
            answered.await();
        }
        TariffFetchSignalsLate.DIARY.waited(from, System.nanoTime());
    }

    Request nextRequest() throws InterruptedException {
        lock.lock();
        try {
            while (requests.isEmpty()) {
                asked.await();
            }
            return requests.poll();
        } finally {
            lock.unlock();
        }
    }

    void answer(Request request, double tariff) {
        lock.lock();
        try {
            request.tariff = tariff;
            answered.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

class TariffLoader {
    private final TariffDesk desk;
    private final TariffOffice office = new TariffOffice();

    TariffLoader(TariffDesk desk) {
        this.desk = desk;
    }

    void serve() throws InterruptedException {
        while (true) {
            TariffDesk.Request request = desk.nextRequest();
            desk.answer(request, load(request.country));
        }
    }

    private double load(int country) throws InterruptedException {
        long from = System.nanoTime();
        int what = country < 10 ? TariffFetchSignalsLate.OTHER : TariffFetchSignalsLate.FETCH;
        try {
            return country < 10 ? known() : office.fetch(country);
        } finally {
            TariffFetchSignalsLate.DIARY.held(what, from, System.nanoTime());
        }
    }

    private static double known() throws InterruptedException {
        Thread.sleep(2); // only rounded and logged
        return 0.19;
    }
}

class TariffOffice {
    private final Random random = new Random(5);

    double fetch(int country) throws InterruptedException {
        Thread.sleep(40 + random.nextInt(40));
        return country / 100.0;
    }
}

record BillingRun(TariffDesk desk, Random random) {
    void billAll() throws InterruptedException {
        while (true) {
            bill(random.nextInt(40));
        }
    }

    private double bill(int country) throws InterruptedException {
        double net = 100 + random.nextInt(900);
        Thread.sleep(3);
        return net * (1 + desk.ask(country));
    }
}
