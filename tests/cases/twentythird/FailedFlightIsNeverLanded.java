import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Six visitors ask for prices. Who is first to ask for one fetches it (3 ms), and the others that ask meanwhile wait for
 * the first one's future.
 *
 * Problem: when a fetch fails, the future stays among the flights, and is not completed. This happens once, after two
 * fifths of the time, and everybody who asks for that price later waits for ever. Truth: visitors wait for a
 * CompletableFuture because of Flights.lead.
 */
final class FailedFlightIsNeverLanded {
    static final class Flights {
        private final Map<Integer, CompletableFuture<Integer>> under = new ConcurrentHashMap<>();
        volatile boolean down;

        int price(int article) {
            CompletableFuture<Integer> mine = new CompletableFuture<>();
            CompletableFuture<Integer> first = under.putIfAbsent(article, mine);
            return first != null ? first.join() : lead(article, mine);
        }

        private int lead(int article, CompletableFuture<Integer> mine) {
            int price = fetch(article);
            under.remove(article);
            mine.complete(price);
            return price;
        }

        private int fetch(int article) {
            Truth.sleep(0.003);
            if (down && article == 3) {
                throw new IllegalStateException("no price today");
            }
            return article * 7;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Flights flights = new Flights();
        List<Thread> visitors = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int[] turn = {i};
            visitors.add(Truth.repeat("visitor-" + i, () -> {
                try {
                    flights.price(turn[0]++ / 6 % 5);
                } catch (IllegalStateException exception) {
                    System.out.println(exception.getMessage());
                }
                Thread.sleep(2);
            }));
        }
        Truth.hangsOnce(visitors);
        Truth.start("outage", () -> {
            Truth.sleep(seconds * 0.4);
            flights.down = true;
        });
        Truth.sayAndHalt(Truth.stuck("a failed fetch never completes the future that others wait for")
            .object("CompletableFuture", "Signaller").culprit("Flights.lead", "Flights.price", "Flights.fetch").thread()
            .victims("visitor-*").noShare(), seconds);
        Truth.sleep(seconds + 2);
    }
}
