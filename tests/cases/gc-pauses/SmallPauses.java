import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * A service that makes much garbage and keeps next to nothing: four threads build answers of some
 * thousand objects and forget them. It collects about once a second, for a few milliseconds.
 *
 * FLAGS: -XX:+UseSerialGC -Xmx128m -Xmn64m
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class SmallPauses {
    private final ArrayBlockingQueue<Integer> sizes = new ArrayBlockingQueue<>(100);

    public static void main(String[] arguments) {
        SmallPauses service = new SmallPauses();
        for (int i = 1; i <= 4; i++) {
            Random random = new Random(i);
            service.start("http-" + i, () -> service.serve(random));
        }
        service.start("statistics", service::count);
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("collections are short and rare, as nearly nothing survives them")
            .object().culprit().thread().victims().noShare().say();
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Random random) {
        while (true) {
            Truth.sleep(0.005 + 0.01 * random.nextDouble());
            sizes.offer(answer(random, 2000).size());
        }
    }

    private static List<String> answer(Random random, int lines) {
        List<String> answer = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            answer.add("line " + random.nextInt(100));
        }
        Collections.sort(answer);
        return answer;
    }

    private void count() {
        try {
            while (sizes.take() > 0) {
                Thread.yield();
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
