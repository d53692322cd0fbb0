/**
 * "boss" waits for the end of "worker" as soon as it has started it, and holds the desk that worker wants
 * before it ends. "ready" once boss waits.
 */
final class JoinedAtOnce {
    private static final Object DESK = new Object();

    private static void work() {
        synchronized (DESK) {
            Thread.onSpinWait();
        }
    }

    private static void lead() {
        synchronized (DESK) {
            Thread worker = new Thread(JoinedAtOnce::work, "worker");
            worker.setDaemon(true);
            worker.start();
            try {
                worker.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread boss = new Thread(JoinedAtOnce::lead, "boss");
        boss.setDaemon(true);
        boss.start();
        while (boss.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
