import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * As many virtual threads as the first argument says wait for one latch, at once. Prints `ready` when all
 * stand there; lets them go when the file that is the second argument is there; `done` when all have ended.
 * Goes on until it is killed. With a third argument, a second later "wanter" wants what
 * "keeper" holds, a virtual thread that sleeps.
 */
class VirtualCrowd {
    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        CountDownLatch latch = new CountDownLatch(1);
        Thread[] crowd = new Thread[n];
        for (int i = 0; i < n; i++) {
            crowd[i] = Virtual.start("person-" + i, () -> await(latch));
        }
        for (Thread person : crowd) {
            while (person.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        System.out.println("ready");
        if (arguments.length > 2) {
            Virtual.start("keeper", VirtualCrowd::keep);
            Thread.sleep(1000);
            Thread wanter = new Thread(VirtualCrowd::keep, "wanter");
            wanter.setDaemon(true);
            wanter.start();
        }
        while (!new File(arguments[1]).exists()) {
            Thread.sleep(10);
        }
        latch.countDown();
        for (Thread person : crowd) {
            while (person.isAlive()) {
                Thread.sleep(1); // no wait of ours
            }
        }
        System.out.println("done");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void keep() {
        synchronized (VirtualCrowd.class) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
