import java.util.concurrent.CompletableFuture;

/**
 * A CompletableFuture that two threads complete at once: one of them does, and either may wake the
 * client. A third completes another future meanwhile.
 * Argument: rounds (0 = until killed).
 */
class TwoCompleters {
    public static void main(String[] arguments) throws Exception {
        long rounds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        System.out.println("ready");
        for (long i = 0; rounds == 0 || i < rounds; i++) {
            CompletableFuture<Integer> future = new CompletableFuture<>();
            Thread client = new Thread(() -> join(future), "client-1");
            Thread one = new Thread(() -> complete(future), "completer-1");
            Thread bystander = new Thread(() -> new CompletableFuture<Integer>().complete(1), "bystander-1");
            Thread other = new Thread(() -> complete(future), "completer-2");
            client.start();
            Thread.sleep(8);
            one.start();
            bystander.start();
            other.start();
            one.join();
            other.join();
            bystander.join();
            client.join();
        }
        Witness.tell();
    }

    static void join(CompletableFuture<Integer> future) {
        long asked = Witness.now();
        future.join();
        Witness.wanted("future", asked, Witness.now());
    }

    static void complete(CompletableFuture<Integer> future) {
        long completing = Witness.now();
        future.complete(42);
        Witness.gave("future", completing, Witness.now());
    }
}
