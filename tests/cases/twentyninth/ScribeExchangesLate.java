import java.util.concurrent.Exchanger;

/**
 * Three pairs of threads exchange buffers: a gauge fills one in 5 ms, a scribe stores it; then they exchange.
 *
 * Problem: storing takes 45 ms, Scribe.store. Truth: gauges wait for the Exchanger because of Scribe.store. Measured:
 * storing within the gauges' waiting.
 */
final class ScribeExchangesLate {
    static final Truth.Diary[] DIARIES = {new Truth.Diary(), new Truth.Diary(), new Truth.Diary()};

    record Gauge(int pair, Exchanger<int[]> exchanger, int[][] own) implements Truth.Step {
        private void fill() {
            Truth.sleep(0.005);
            own[0][0]++;
        }

        @Override
        public void run() throws InterruptedException {
            fill();
            long from = System.nanoTime();
            own[0] = exchanger.exchange(own[0]);
            DIARIES[pair].waited(from, System.nanoTime());
        }
    }

    record Scribe(int pair, Exchanger<int[]> exchanger, int[][] own) implements Truth.Step {
        private void store() {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            own[0][0] = 0;
            DIARIES[pair].held(0, from, System.nanoTime());
        }

        @Override
        public void run() throws InterruptedException {
            own[0] = exchanger.exchange(own[0]);
            store();
        }
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 3; i++) {
            Exchanger<int[]> exchanger = new Exchanger<>();
            Truth.repeat("gauge-" + i, new Gauge(i, exchanger, new int[][] {new int[8]}));
            Truth.repeat("scribe-" + i, new Scribe(i, exchanger, new int[][] {new int[8]}));
        }
        Truth.sleep(Truth.seconds(arguments));
        double sum = 0, whole = 0;
        for (Truth.Diary diary : DIARIES) {
            sum += diary.share(0) * diary.waitedSeconds();
            whole += diary.waitedSeconds();
        }
        System.out.printf("waited %.2f s in all%n", whole);
        Truth.of("one side of an exchange takes nine times as long as the other").object("Exchanger", "Node")
            .culprit("Scribe.store").thread("scribe-*").victims("gauge-*")
            .share(sum / whole, "the gauges' waiting for their scribe").say();
    }
}
