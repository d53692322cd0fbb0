import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients want one entry of a cache; whoever comes first loads it for 20 ms, the others wait for that,
 * and all remove it and do something else for a moment. Each load has a lock of its own.
 * Argument: milliseconds.
 */
final class LoadedAnew {
    private static final ConcurrentHashMap<String, Integer> RATES = new ConcurrentHashMap<>();

    private static void rest(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int load() {
        rest(20);
        return 1;
    }

    private static void pay() {
        RATES.computeIfAbsent("eur", key -> load());
        RATES.remove("eur");
    }

    private static void serve() {
        while (true) {
            pay();
            rest(1);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 8; i++) {
            Thread client = new Thread(LoadedAnew::serve, "client-" + i);
            client.setDaemon(true);
            client.start();
        }
        rest(Long.parseLong(args[0]));
    }
}
