import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Five terminals send a question to a host, each with a box of its own for the answer, which they poll for 130 ms at
 * most. Two threads of the host answer.
 *
 * Problem: Host.lookUp takes 75 ms, so that two threads answer 27 questions a second, and every other terminal gives up.
 * Truth: terminals wait for a box, an ArrayBlockingQueue, because of Host.lookUp. Measured: looking up within the
 * terminals' waiting.
 */
final class RepliesPolledFromABox {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Question(int number, BlockingQueue<Integer> box) {
    }

    record Host(BlockingQueue<Question> questions) implements Truth.Step {
        private int lookUp(int number) {
            long from = System.nanoTime();
            Truth.sleep(0.075);
            DIARY.held(0, from, System.nanoTime());
            return number * 2;
        }

        @Override
        public void run() throws InterruptedException {
            Question question = questions.take();
            question.box().offer(lookUp(question.number()));
        }
    }

    record Terminal(BlockingQueue<Question> questions, int number) implements Truth.Step {
        private Integer ask() throws InterruptedException {
            BlockingQueue<Integer> box = new ArrayBlockingQueue<>(1);
            questions.add(new Question(number, box));
            return box.poll(130, TimeUnit.MILLISECONDS);
        }

        @Override
        public void run() throws InterruptedException {
            long from = System.nanoTime();
            ask();
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(50);
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("host-" + i, new Host(questions));
        }
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("terminal-" + i, new Terminal(questions, i));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a host answers slower than terminals are willing to wait").object("ConditionObject",
            "ArrayBlockingQueue").culprit("Host.lookUp").thread("host-*").victims("terminal-*")
            .share(DIARY.share(0), "the terminals' waiting for an answer").say();
    }
}
