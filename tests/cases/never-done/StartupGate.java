import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server starts five services in parallel, each on a thread of its own, and opens its doors
 * when a CountDownLatch of five is down. One service throws while it opens its index; its starter
 * reports the exception and ends without counting down.
 *
 * Problem: ServiceStarter.start counts down only where all goes well. Truth: stuck; the request
 * threads and the door wait for the CountDownLatch for ever. Measured: no share; HANG is said
 * when the starters are gone and the latch is still up.
 */
final class StartupGate {
    private static final List<String> SERVICES =
        List.of("users", "mail", "geo-index", "payments", "search");

    private final CountDownLatch started = new CountDownLatch(SERVICES.size());
    private final AtomicInteger served = new AtomicInteger();

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("the start-up latch is short of one count, as the service "
            + "whose index could not be opened ended with an exception before it counted down")
            .object("CountDownLatch")
            .culprit("ServiceStarter.start", "ServiceStarter.run", "GeoIndex.open",
                "ServiceStarter.open")
            .thread("start-geo-index").victims("http-*", "door").noShare(),
            Truth.seconds(arguments));
        StartupGate gate = new StartupGate();
        new Thread(gate::openDoors, "door").start();
        for (int i = 1; i <= 8; i++) {
            new Thread(gate::serve, "http-" + i).start();
        }
        ScheduledThreadPoolExecutor health = new ScheduledThreadPoolExecutor(1,
            work -> new Thread(work, "health"));
        health.scheduleAtFixedRate(gate.served::get, 500, 500, TimeUnit.MILLISECONDS);
        Random random = new Random(3);
        Thread[] starters = new Thread[SERVICES.size()];
        for (int i = 0; i < starters.length; i++) {
            starters[i] = new Thread(new ServiceStarter(gate.started, SERVICES.get(i),
                200 + random.nextInt(700)), "start-" + SERVICES.get(i));
            starters[i].start();
        }
        for (Thread starter : starters) {
            starter.join();
        }
        Truth.sleep(0.5);
        Truth.hangs();
    }

    private void openDoors() {
        awaitServices();
        System.out.println("open");
    }

    private void serve() {
        awaitServices();
        while (served.incrementAndGet() > 0) {
            Truth.sleep(0.01);
        }
    }

    private void awaitServices() {
        try {
            started.await();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private record ServiceStarter(CountDownLatch started, String service, int millis)
        implements Runnable {
        @Override
        public void run() {
            try {
                start();
            } catch (IllegalStateException exception) {
                System.err.println("cannot start " + service + ": " + exception.getMessage());
            }
        }

        private void start() {
            Truth.sleep(millis / 1000.0);
            open();
            started.countDown();
        }

        private void open() {
            if (service.startsWith("geo")) {
                new GeoIndex("tiles.idx").open();
            }
        }
    }

    private record GeoIndex(String file) {
        void open() {
            throw new IllegalStateException(file + " has the wrong version");
        }
    }
}
