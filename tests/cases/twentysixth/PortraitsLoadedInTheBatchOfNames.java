import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Twenty queries (virtual threads where there are any) resolve fields of a graph. So as not to ask the store for each
 * key, a loader gathers what is asked within 2 ms, and loads it as batches, one for each kind, on a thread of its own.
 *
 * Problem: portraits are scaled when they are loaded, 40 ms a batch; names take 3 ms and prices 6 ms. Nothing is loaded
 * meanwhile. Truth: queries wait for their CompletableFuture because of Portraits.load. Measured: loading of the three
 * kinds within the queries' waiting.
 */
final class PortraitsLoadedInTheBatchOfNames {
    static final Truth.Diary DIARY = new Truth.Diary();

    enum Kind {
        PORTRAIT, NAME, PRICE
    }

    interface Source {
        List<String> load(List<Integer> keys);
    }

    static final class Portraits implements Source {
        @Override
        public List<String> load(List<Integer> keys) {
            Truth.sleep(0.04);
            return keys.stream().map(key -> "portrait " + key).toList();
        }
    }

    static final class Names implements Source {
        @Override
        public List<String> load(List<Integer> keys) {
            Truth.sleep(0.003);
            return keys.stream().map(key -> "name " + key).toList();
        }
    }

    static final class Prices implements Source {
        @Override
        public List<String> load(List<Integer> keys) {
            Truth.sleep(0.006);
            return keys.stream().map(key -> "price " + key).toList();
        }
    }

    record Request(Kind kind, int key, CompletableFuture<String> answer) {
    }

    static final class BatchLoader implements Truth.Step {
        private final BlockingQueue<Request> asked = new LinkedBlockingQueue<>();
        private final Map<Kind, Source> sources = new EnumMap<>(
            Map.of(Kind.PORTRAIT, new Portraits(), Kind.NAME, new Names(), Kind.PRICE, new Prices()));

        CompletableFuture<String> ask(Kind kind, int key) {
            Request request = new Request(kind, key, new CompletableFuture<>());
            asked.add(request);
            return request.answer();
        }

        @Override
        public void run() throws InterruptedException {
            List<Request> requests = new ArrayList<>(List.of(asked.take()));
            TimeUnit.MILLISECONDS.sleep(2);
            asked.drainTo(requests);
            for (Kind kind : Kind.values()) {
                List<Request> batch = requests.stream().filter(request -> request.kind() == kind).toList();
                if (!batch.isEmpty()) {
                    answer(kind, batch);
                }
            }
        }

        private void answer(Kind kind, List<Request> batch) {
            long from = System.nanoTime();
            List<String> answers = sources.get(kind).load(batch.stream().map(Request::key).toList());
            DIARY.held(kind.ordinal(), from, System.nanoTime());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer().complete(answers.get(i));
            }
        }
    }

    record Query(BatchLoader loader, int number) implements Runnable {
        private void resolve(Kind kind) {
            CompletableFuture<String> answer = loader.ask(kind, number);
            long from = System.nanoTime();
            answer.join();
            DIARY.waited(from, System.nanoTime());
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                int any = ThreadLocalRandom.current().nextInt(5);
                resolve(any == 0 ? Kind.PORTRAIT : any < 3 ? Kind.NAME : Kind.PRICE);
                Truth.sleep(ThreadLocalRandom.current().nextDouble(0.008, 0.016));
            }
        }
    }

    public static void main(String[] arguments) {
        BatchLoader loader = new BatchLoader();
        Truth.repeat("batch-loader", loader);
        for (int i = 1; i <= 20; i++) {
            Truth.virtual("query-" + i, new Query(loader, i));
        }
        DIARY.fill(Truth.seconds(arguments));
        System.out.printf("names %.3f prices %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("portraits are scaled on the thread that loads all batches").object("CompletableFuture", "Signaller")
            .culprit("Portraits.load").thread("batch-loader").victims("query-*")
            .share(DIARY.share(0), "the queries' waiting for their answers").say();
    }
}
