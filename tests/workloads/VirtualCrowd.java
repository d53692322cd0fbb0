import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * As many virtual threads as the first argument says wait for one latch, at once. Prints `ready` when all
 * stand there; lets them go when the file that is the second argument is there; `done` when all have ended.
 * Goes on until it is killed. With a third argument, a second later "wanter" wants what
 * "keeper" holds, a virtual thread that sleeps, for so many milliseconds or for ever if that is no number;
 * `had` once "wanter" has it.
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
            boolean isBrief = Character.isDigit(arguments[2].charAt(0));
            long millis = isBrief ? Long.parseLong(arguments[2]) : Long.MAX_VALUE;
            Virtual.start("keeper", () -> keep(millis));
            Thread.sleep(1000);
            Thread wanter = new Thread(() -> want(), "wanter");
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

    static void want() {
        synchronized (VirtualCrowd.class) {
            System.out.println("had");
        }
    }

    static void keep(long millis) {
        synchronized (VirtualCrowd.class) {
            try {
                Thread.sleep(millis);
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
