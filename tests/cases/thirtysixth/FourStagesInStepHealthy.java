import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A bakery's line: dough, oven, glaze and box are stages with two workers each and queues of sixteen
 * between them. All need the same, 5 ms give or take a half; trays come by the clock, one each 4 ms,
 * where the line could do one each 2.5.
 *
 * Problem: none: nobody is slower than the others, all are busy for most of the time, and there is
 * room in all queues. Truth: healthy. Measured: nothing.
 */
final class FourStagesInStepHealthy {
    static final class Stage {
        private final BlockingQueue<Integer> in = new ArrayBlockingQueue<>(16);
        private BlockingQueue<Integer> out;

        void work(Random random) throws InterruptedException {
            int tray = in.take();
            Truth.sleep(0.0025 + random.nextInt(5000) / 1e6);
            if (out != null) {
                out.put(tray);
            }
        }
    }

    public static void main(String[] arguments) {
        List<String> names = List.of("dough", "oven", "glaze", "box");
        List<Stage> line = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            line.add(new Stage());
            if (i > 0) {
                line.get(i - 1).out = line.get(i).in;
            }
        }
        for (int i = 0; i < names.size(); i++) {
            Stage stage = line.get(i);
            for (int worker = 1; worker <= 2; worker++) {
                Random random = new Random(10L * i + worker);
                Truth.repeat(names.get(i) + "/" + worker, () -> stage.work(random));
            }
        }
        long begin = System.nanoTime();
        int[] trays = new int[1];
        Truth.repeat("trays", () -> {
            long due = begin + ++trays[0] * 4_000_000L;
            Truth.sleep(Math.max(0, (due - System.nanoTime()) / 1e9));
            line.get(0).in.put(trays[0]);
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("all stages need the same, and the clock brings less than they could do").object().culprit()
            .thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
