/**
 * A client waits for the end of a worker, every second round with a time-out that does not pass; workers
 * live for 120, 60 and 30 ms, one after the other. A bystander ends meanwhile.
 * Argument: rounds (0 = until killed).
 */
class Joins {
    static final long[] LIVES = {120, 60, 30};

    public static void main(String[] arguments) throws InterruptedException {
        long rounds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        System.out.println("ready");
        for (long i = 0; rounds == 0 || i < rounds; i++) {
            for (int k = 0; k < LIVES.length; k++) {
                follow(k, i % 2 == 0 ? 0 : 60_000);
            }
        }
        Witness.tell();
    }

    static void follow(int k, long timeOut) throws InterruptedException {
        Thread worker = new Thread(() -> work(LIVES[k]), "worker-" + k);
        Thread client = new Thread(() -> join(worker, timeOut), "client-1");
        Thread bystander = new Thread(() -> rest(1), "bystander-1");
        worker.start();
        client.start();
        bystander.start();
        client.join();
        bystander.join();
    }

    static void work(long millis) {
        rest(millis);
        long ending = Witness.now();
        Witness.gave("end", ending, ending);
    }

    static void join(Thread worker, long millis) {
        long asked = Witness.now();
        try {
            worker.join(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        Witness.wanted("end", asked, Witness.now());
    }

    static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
