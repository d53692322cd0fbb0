import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six api threads have documents fetched by two io threads, 2 to 4 ms each. Whatever was fetched is
 * indexed for the audit by a callback.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: the callback was added with directExecutor(), so that AuditIndexer.onSuccess (15 to 25
 * ms) runs on the io threads, and the next fetch has to wait for it. Truth: the api threads wait for
 * their futures because of it. Measured: when the io threads indexed and when they fetched, within
 * the api threads' waits.
 */
final class CallbackOnIoThread {
    private static final int INDEX = 0, FETCH = 1;
    private static final Truth.Diary DIARY = new Truth.Diary();

    static final class AuditIndexer implements FutureCallback<String> {
        private final Random random = new Random(3);

        @Override
        public void onSuccess(String document) {
            long from = System.nanoTime();
            Truth.sleep(0.015 + random.nextDouble() * 0.01);
            DIARY.held(INDEX, from, System.nanoTime());
        }

        @Override
        public void onFailure(Throwable problem) {
            throw new IllegalStateException(problem);
        }
    }

    public static void main(String[] arguments) {
        AtomicInteger number = new AtomicInteger();
        ListeningExecutorService io = MoreExecutors.listeningDecorator(Executors.newFixedThreadPool(
            2, work -> Truth.daemon("io-" + number.incrementAndGet(), work)));
        AuditIndexer audit = new AuditIndexer();
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            Truth.daemon("api-" + i, () -> answer(io, audit, random)).start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("a callback with directExecutor() indexes on the io threads, so fetches wait")
            .object("TrustedListenableFutureTask", "ListenableFuture", "AbstractFuture")
            .culprit("AuditIndexer.onSuccess")
            .thread("io-*").victims("api-*")
            .share(DIARY.share(INDEX), "the api threads' waiting for their documents").say();
    }

    private static void answer(ListeningExecutorService io, AuditIndexer audit, Random random) {
        try {
            while (true) {
                Truth.sleep(0.01 + random.nextDouble() * 0.02);
                long asked = System.nanoTime();
                ListenableFuture<String> document = io.submit(() -> fetch(random.nextInt(1000)));
                Futures.addCallback(document, audit, MoreExecutors.directExecutor());
                document.get();
                DIARY.waited(asked, System.nanoTime());
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        }
    }

    private static String fetch(int number) {
        long from = System.nanoTime();
        Truth.sleep(0.002 + number % 3 * 0.001);
        DIARY.held(FETCH, from, System.nanoTime());
        return "document " + number;
    }
}
