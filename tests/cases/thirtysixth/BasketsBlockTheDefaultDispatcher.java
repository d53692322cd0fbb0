import java.util.Random;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.Dispatchers;

/**
 * A till's service in Java on Kotlin's coroutines: six tills ask for the sum of their basket by
 * runBlocking on the default dispatcher, which has two threads here; it takes 2 ms.
 *
 * NEEDS: libkotlinx-coroutines-java libkotlinx-atomicfu-java kotlin (kotlinx-coroutines-core.jar
 * atomicfu.jar kotlin-stdlib.jar)
 *
 * Problem: two kiosks ask the tax office on the same dispatcher, and TaxOffice.lookUp blocks its
 * thread, 26 ms. Truth: tills wait for their BlockingCoroutine because of TaxOffice.lookUp. Measured:
 * the part of the tills' waiting for their coroutine to begin and end during which dispatcher's
 * threads look something up, evenly shared with those that sum.
 */
final class BasketsBlockTheDefaultDispatcher {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class TaxOffice {
        private int calls;

        int lookUp(int article) {
            Truth.sleep(0.026);
            calls++;
            return article % 3 == 0 ? 7 : 19;
        }
    }

    static final class Basket {
        private final int[] prices;

        Basket(Random random) {
            prices = random.ints(9, 1, 100).toArray();
        }

        int total() {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            int sum = 0;
            for (int price : prices) {
                sum += price;
            }
            DIARY.held(1, from, System.nanoTime());
            return sum;
        }
    }

    static int rate(TaxOffice office, int article) throws InterruptedException {
        return BuildersKt.runBlocking(Dispatchers.getDefault(), (scope, continuation) -> {
            long from = System.nanoTime();
            int rate = office.lookUp(article);
            DIARY.held(0, from, System.nanoTime());
            return rate;
        });
    }

    static int sum(Basket basket) throws InterruptedException {
        return BuildersKt.runBlocking(Dispatchers.getDefault(), (scope, continuation) -> basket.total());
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 2; i++) {
            int article = i;
            TaxOffice office = new TaxOffice();
            Truth.repeat("kiosk-" + i, () -> {
                rate(office, article);
                Thread.sleep(9);
            });
        }
        Random random = new Random(36);
        DIARY.clients("till", 6, 11, () -> sum(new Basket(random)));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("calls that block occupy both threads of the default dispatcher").object("BlockingCoroutine")
            .culprit("TaxOffice.lookUp").thread("DefaultDispatcher-worker-*").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for their coroutine").say();
        Runtime.getRuntime().halt(0);
    }
}
