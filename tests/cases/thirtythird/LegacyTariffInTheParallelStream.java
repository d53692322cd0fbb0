import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three offices value a list of sixteen contracts by a parallel stream in a ForkJoinPool of four threads of its own, and
 * join what they submitted.
 *
 * Problem: one contract in sixteen has a tariff of the old kind, for which a host is asked: LegacyTariff.ask, 48 ms; the
 * others take NewTariff.compute, 1.5 ms. Truth: offices wait for a task (AdaptedInterruptibleCallable or the like of
 * ForkJoinTask) because of LegacyTariff.ask. Measured: what the pool's threads do, evenly divided, during the offices'
 * waiting.
 */
final class LegacyTariffInTheParallelStream {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Tariff {
        double of(int contract);
    }

    static final class LegacyTariff implements Tariff {
        @Override
        public double of(int contract) {
            return ask(contract);
        }

        private double ask(int contract) {
            long from = System.nanoTime();
            Truth.sleep(0.048);
            DIARY.held(0, from, System.nanoTime());
            return contract * 1.1;
        }
    }

    static final class NewTariff implements Tariff {
        @Override
        public double of(int contract) {
            return compute(contract);
        }

        private double compute(int contract) {
            long from = System.nanoTime();
            Truth.sleep(0.0015);
            DIARY.held(1, from, System.nanoTime());
            return contract * 1.2;
        }
    }

    static final class Valuation {
        private final ForkJoinPool pool = new ForkJoinPool(4);
        private final Tariff legacy = new LegacyTariff(), current = new NewTariff();
        private final List<Integer> contracts = IntStream.range(0, 16).boxed().collect(Collectors.toList());

        double total() throws Exception {
            return pool.submit(this::sum).get();
        }

        private double sum() {
            return contracts.parallelStream().mapToDouble(this::value).sum();
        }

        private double value(int contract) {
            return (contract == 5 ? legacy : current).of(contract);
        }
    }

    public static void main(String[] arguments) {
        Valuation valuation = new Valuation();
        DIARY.clients("office", 3, 70, valuation::total);
        for (int i = 1; i <= 3; i++) {
            int pause = 20 * i;
            Truth.repeat("feed-" + i, () -> Thread.sleep(pause));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("one contract of sixteen needs a host that is slow")
            .object("AdaptedCallable", "AdaptedInterruptibleCallable", "ForkJoinTask", "InterruptibleTask", "Aux",
                "ForkJoinPool").culprit("LegacyTariff.ask", "LegacyTariff.of").thread("ForkJoinPool-*-worker-*")
            .victims("office-*").share(DIARY.share(0), "the offices' waiting").say();
    }
}
