import java.util.concurrent.CountDownLatch;

/** Threads that wait for a latch wake each other. Arguments: rounds (0 = until killed), waiters (4). */
class Latch {
    public static void main(String[] arguments) throws InterruptedException {
        long rounds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        int waiters = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        System.out.println("ready");
        for (long i = 0; rounds == 0 || i < rounds; i++) {
            CountDownLatch latch = new CountDownLatch(1);
            Thread[] threads = new Thread[waiters];
            for (int j = 0; j < waiters; j++) {
                threads[j] = new Thread(() -> await(latch), "waiter-" + (j + 1));
                threads[j].start();
            }
            Thread.sleep(20);
            Thread opener = new Thread(() -> open(latch), "opener-1");
            opener.start();
            opener.join();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        Witness.tell();
    }

    static void await(CountDownLatch latch) {
        long asked = Witness.now();
        try {
            latch.await();
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        Witness.wanted("latch", asked, Witness.now());
    }

    static void open(CountDownLatch latch) {
        long opening = Witness.now();
        latch.countDown();
        Witness.gave("latch", opening, Witness.now());
    }
}
