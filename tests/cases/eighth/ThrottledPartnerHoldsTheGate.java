import java.util.HashMap;
import java.util.Map;

/**
 * Partners' calls pass a gate that knows each one's limit. One partner, of two threads, is over its limit;
 * the others, of six, are far below theirs.
 *
 * Problem: Gate.admit keeps the monitor of the map of all partners while TokenBucket.take sleeps until there is
 * a token for the throttled one. Truth: the others wait for the Gate because of TokenBucket.take. Measured: the
 * part of the waiting of all during which it slept.
 */
final class ThrottledPartnerHoldsTheGate {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class TokenBucket {
        private final long nanosPerToken;
        private long next = System.nanoTime();

        TokenBucket(int perSecond) {
            nanosPerToken = 1_000_000_000L / perSecond;
        }

        void take() {
            long now = System.nanoTime();
            next = Math.max(next + nanosPerToken, now - 10 * nanosPerToken);
            if (next > now) {
                Truth.sleep((next - now) / 1e9);
                DIARY.held(0, now, System.nanoTime());
            }
        }
    }

    static final class Gate {
        private final Map<String, TokenBucket> buckets = new HashMap<>();

        void admit(String partner) {
            long from = System.nanoTime();
            synchronized (this) {
                DIARY.waited(from, System.nanoTime());
                buckets.computeIfAbsent(partner, name -> new TokenBucket(name.equals("acme") ? 25 : 5000)).take();
            }
        }
    }

    record Partner(Gate gate, String name, long pause) {
        void call() throws InterruptedException {
            gate.admit(name);
            Thread.sleep(pause);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Gate gate = new Gate();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("acme-" + i, new Partner(gate, "acme", 70)::call);
        }
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("partner-" + i, new Partner(gate, "p" + i, 9)::call);
        }
        Truth.sleep(seconds);
        Truth.of("a throttled partner sleeps inside of the monitor that all partners pass")
            .object("Gate").culprit("TokenBucket.take").thread("acme-*").victims("partner-*")
            .share(DIARY.share(0), "the waiting at the gate").say();
    }
}
