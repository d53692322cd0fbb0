import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six gates write who came in, by name; names are kept in a map with static synchronized methods, for all alike.
 *
 * Problem: a name that is not known is asked for by NameService.reverse, 70 ms long, still within the class's monitor;
 * one in thirty is not known. Truth: gates wait for the monitor of the Class of NameService because of
 * NameService.reverse. Measured: reverse, and all else within the monitor, within the gates' calls.
 */
final class NamesResolvedOneByOne {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class NameService {
        private static final Map<Integer, String> KNOWN = new HashMap<>();

        private NameService() {}

        static synchronized String nameOf(int address) {
            String name = KNOWN.get(address);
            if (name != null) {
                return name;
            }
            name = reverse(address);
            KNOWN.put(address, name);
            return name;
        }

        static synchronized void forget() {
            KNOWN.keySet().removeIf(address -> address > 200);
        }

        private static String reverse(int address) {
            long from = System.nanoTime();
            Truth.sleep(address > 200 ? 0.07 : 0);
            DIARY.held(0, from, System.nanoTime());
            return "host-" + address;
        }
    }

    static final class AccessLog {
        final AtomicInteger lines = new AtomicInteger();

        void enter(int address) {
            String line = "in: " + NameService.nameOf(address);
            lines.addAndGet(line.isEmpty() ? 0 : 1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        AccessLog log = new AccessLog();
        DIARY.clients("gate", 6, 10, () -> {
            int draw = ThreadLocalRandom.current().nextInt(30);
            log.enter(draw == 0 ? ThreadLocalRandom.current().nextInt(201, 1_000_000) : draw);
        });
        Truth.repeat("forgetter", () -> {
            Thread.sleep(700);
            NameService.forget();
        });
        Truth.sleep(seconds);
        System.out.printf("%d lines, waited %.2f s%n", log.lines.get(), DIARY.waitedSeconds());
        Truth.of("names are looked up within a class's monitor").object("Class", "NameService")
            .culprit("NameService.reverse").thread("gate-*").victims("gate-*")
            .share(DIARY.share(0), "the gates' calls, their own looking up among them").say();
        Runtime.getRuntime().halt(0);
    }
}
