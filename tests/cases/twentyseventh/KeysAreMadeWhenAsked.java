import java.util.concurrent.SynchronousQueue;

/**
 * Seven sessions need a fresh key pair each, which they take from a SynchronousQueue: a maker puts one as soon as somebody
 * wants it, and has then the next one in hand.
 *
 * Problem: KeyMaker.generate takes 16 ms, and there is one maker; a session is back after 20 ms. Truth: sessions wait at
 * the SynchronousQueue because of KeyMaker.generate. Measured: generating within the sessions' waiting.
 */
final class KeysAreMadeWhenAsked {
    static final Truth.Diary DIARY = new Truth.Diary();

    record KeyMaker(SynchronousQueue<Long> counter, long[] state) implements Truth.Step {
        private long generate() {
            long from = System.nanoTime();
            Truth.sleep(0.016);
            state[0] = state[0] * 6364136223846793005L + 1442695040888963407L;
            DIARY.held(0, from, System.nanoTime());
            return state[0];
        }

        @Override
        public void run() throws InterruptedException {
            counter.put(generate());
        }
    }

    record Session(SynchronousQueue<Long> counter, long[] sum) implements Truth.Step {
        private long key() throws InterruptedException {
            long from = System.nanoTime();
            long key = counter.take();
            DIARY.waited(from, System.nanoTime());
            return key;
        }

        @Override
        public void run() throws InterruptedException {
            sum[0] ^= key();
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        SynchronousQueue<Long> counter = new SynchronousQueue<>();
        Truth.repeat("key-maker", new KeyMaker(counter, new long[] {17}));
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("session-" + i, new Session(counter, new long[1]));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("keys are made by one thread, slower than they are wanted").object("SynchronousQueue", "TransferStack",
            "TransferQueue", "LinkedTransferQueue", "Transferer", "SNode", "DualNode")
            .culprit("KeyMaker.generate", "KeyMaker.run").thread("key-maker").victims("session-*")
            .share(DIARY.share(0), "the sessions' waiting for a key").say();
    }
}
