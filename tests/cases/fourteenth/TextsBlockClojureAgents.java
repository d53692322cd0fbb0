import clojure.java.api.Clojure;
import clojure.lang.AFn;
import clojure.lang.Agent;
import clojure.lang.IFn;
import clojure.lang.RT;
import java.util.concurrent.CountDownLatch;

/**
 * Each of six counters is a Clojure agent. A till sends a sale to its counter's agent and waits until it is counted,
 * which takes 2 ms.
 *
 * NEEDS: libclojure-java libspec-alpha-clojure libcore-specs-alpha-clojure
 * (clojure.jar spec.alpha.jar core.specs.alpha.jar)
 *
 * Problem: customers' texts are sent by agents too, with `send`, whose pool has as many threads as there are processors
 * and two; `send-off` is for what blocks. SendText.invoke waits for the provider, 120 ms. Truth: tills wait for a
 * CountDownLatch because of SendText.invoke or TextProvider.deliver. Measured: which actions run, evenly shared, while
 * tills wait; what takes less than 1 ms is no waiting.
 */
final class TextsBlockClojureAgents {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final int TEXT = 0, SALE = 1;

    static final class TextProvider {
        static Object deliver(Object state) {
            Truth.sleep(0.12);
            return state;
        }
    }

    static final class SendText extends AFn {
        @Override
        public Object invoke(Object state) {
            long from = System.nanoTime();
            Object next = TextProvider.deliver(state);
            DIARY.held(TEXT, from, System.nanoTime());
            return next;
        }
    }

    static final class CountSale extends AFn {
        private final CountDownLatch counted;

        CountSale(CountDownLatch counted) {
            this.counted = counted;
        }

        @Override
        public Object invoke(Object state) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(SALE, from, System.nanoTime());
            counted.countDown();
            return state;
        }
    }

    static final class Till {
        private final Agent counter = new Agent(0L);
        private final IFn send;

        Till(IFn send) {
            this.send = send;
        }

        void sell() throws InterruptedException {
            CountDownLatch counted = new CountDownLatch(1);
            long from = System.nanoTime();
            send.invoke(counter, new CountSale(counted));
            counted.await();
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            Thread.sleep(15);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        RT.init();
        IFn send = Clojure.var("clojure.core", "send");
        int workers = 2 + Runtime.getRuntime().availableProcessors();
        for (int i = 0; i < workers + 2; i++) {
            Agent customer = new Agent("customer " + i);
            Truth.repeat("marketing-" + i, () -> {
                send.invoke(customer, new SendText());
                Thread.sleep(150);
            });
        }
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("till-" + i, new Till(send)::sell);
        }
        DIARY.fill(seconds);
        Truth.of("what blocks runs in the pool for what does not").object("CountDownLatch")
            .culprit("SendText.invoke", "TextProvider.deliver").thread("clojure-agent-send-pool-*").victims("till-*")
            .share(DIARY.share(TEXT), "the tills' waiting, evenly among the actions that run").say();
        System.exit(0);
    }
}
