import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Web hooks are put into a queue of ten by three shops, and sent by two senders, 3 ms each. What fails is put into
 * the queue again.
 *
 * Problem: after two fifths of the time the customer's server is down, and all that is sent fails: the shops soon
 * have the queue full, and both senders wait for room in it, Sender.again, where nobody takes anything any more.
 * Truth: stuck; shops and senders wait for room in the ArrayBlockingQueue because of Sender.again.
 */
final class RetriesFillTheirOwnQueue {
    static volatile boolean down;

    record Hook(int number, int tries) {
        Hook next() {
            return new Hook(number, tries + 1);
        }
    }

    static final class Sender implements Truth.Step {
        private final BlockingQueue<Hook> hooks;

        Sender(BlockingQueue<Hook> hooks) {
            this.hooks = hooks;
        }

        @Override
        public void run() throws Exception {
            Hook hook = hooks.take();
            Truth.sleep(0.003);
            if (down) {
                again(hook);
            }
        }

        private void again(Hook hook) throws InterruptedException {
            hooks.put(hook.next());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<Hook> hooks = new ArrayBlockingQueue<>(10);
        AtomicInteger numbers = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            all.add(Truth.repeat("hook-sender-" + i, new Sender(hooks)));
        }
        for (int i = 1; i <= 3; i++) {
            int pause = 7 + i;
            all.add(Truth.repeat("shop-" + i, () -> {
                hooks.put(new Hook(numbers.incrementAndGet(), 0));
                Thread.sleep(pause);
            }));
        }
        Truth.repeat("queue-meter", () -> Thread.sleep(100 + hooks.size()));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("who takes from a queue puts back into it, and it is full")
            .object("ConditionObject", "ArrayBlockingQueue").culprit("Sender.again").thread("hook-sender-*")
            .victims("shop-*", "hook-sender-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        down = true;
        Truth.sleep(seconds + 2);
    }
}
