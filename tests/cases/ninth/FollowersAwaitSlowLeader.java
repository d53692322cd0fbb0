import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Texts of a shop in three languages. Requests for the same text are coalesced: the first one looks it up, the
 * others wait for its future.
 *
 * Problem: what is not in the Finnish dictionary is asked of an agency, which takes 70 ms; whoever happens to lead
 * runs it, all others wait for that one. Truth: requests wait for a CompletableFuture because of Agency.ask.
 * Measured: the waiting for Finnish texts, of all waiting.
 */
final class FollowersAwaitSlowLeader {
    static final AtomicLong WAITED = new AtomicLong(), FOR_FINNISH = new AtomicLong();

    static final class Agency {
        String ask(String key) {
            Truth.sleep(0.07);
            return key + "?";
        }
    }

    static final class Dictionary {
        private final Agency agency = new Agency();

        String lookUp(String key) {
            if (key.startsWith("fi")) {
                return agency.ask(key);
            }
            Truth.sleep(0.002);
            return key + "!";
        }
    }

    static final class Flights {
        private final ConcurrentHashMap<String, CompletableFuture<String>> inFlight = new ConcurrentHashMap<>();
        private final Dictionary dictionary = new Dictionary();

        String text(String key) {
            CompletableFuture<String> mine = new CompletableFuture<>();
            CompletableFuture<String> leader = inFlight.putIfAbsent(key, mine);
            return leader == null ? lead(key, mine) : follow(key, leader);
        }

        private String lead(String key, CompletableFuture<String> mine) {
            try {
                String text = dictionary.lookUp(key);
                mine.complete(text);
                return text;
            } finally {
                inFlight.remove(key);
            }
        }

        private String follow(String key, CompletableFuture<String> leader) {
            long from = System.nanoTime();
            String text = leader.join();
            WAITED.addAndGet(System.nanoTime() - from);
            FOR_FINNISH.addAndGet(key.startsWith("fi") ? System.nanoTime() - from : 0);
            return text;
        }
    }

    static final class Page {
        private static final String[] LANGUAGES = {"de", "en", "fi"};
        private final Flights flights;
        private int shown, length;

        Page(Flights flights) {
            this.flights = flights;
        }

        void show() throws InterruptedException {
            shown += 1;
            length += flights.text(LANGUAGES[shown % 3] + "-welcome").length();
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Flights flights = new Flights();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("request-" + i, new Page(flights)::show);
        }
        Truth.sleep(seconds);
        System.out.printf("waited %.2f s in all%n", WAITED.get() / 1e9);
        Truth.of("coalesced requests wait for a leader that asks an agency").object("CompletableFuture", "Signaller")
            .culprit("Agency.ask").thread("request-*").victims("request-*")
            .share((double) FOR_FINNISH.get() / WAITED.get(), "the waiting of those who follow").say();
    }
}
