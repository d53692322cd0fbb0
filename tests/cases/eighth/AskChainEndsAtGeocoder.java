import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntUnaryOperator;

/**
 * Three services, each a thread with its mailbox: riders ask `dispatch`, which asks `routing`, which asks
 * `geocoder`; each waits for the answer before it takes the next question.
 *
 * Problem: Geocoder.lookUp takes 9 ms; dispatch and routing need next to nothing of their own. Truth: riders
 * wait for their answers because of Geocoder.lookUp, three threads away. Measured: the part of the riders'
 * waiting during which it ran.
 */
final class AskChainEndsAtGeocoder {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Question {
        final int place;
        final CompletableFuture<Integer> answer = new CompletableFuture<>();

        Question(int place) {
            this.place = place;
        }
    }

    static final class Service {
        private final LinkedBlockingQueue<Question> mailbox = new LinkedBlockingQueue<>();
        private final IntUnaryOperator work;

        Service(IntUnaryOperator work) {
            this.work = work;
        }

        int ask(int place) {
            Question question = new Question(place);
            mailbox.add(question);
            return question.answer.join();
        }

        void answerNext() throws InterruptedException {
            Question question = mailbox.take();
            question.answer.complete(work.applyAsInt(question.place));
        }
    }

    static final class Geocoder {
        static int lookUp(int place) {
            long from = System.nanoTime();
            Truth.sleep(0.009);
            DIARY.held(0, from, System.nanoTime());
            return place * 31 % 1000;
        }
    }

    record Routing(Service geocoder) {
        int route(int place) {
            return geocoder.ask(place) + 1;
        }
    }

    record Dispatch(Service routing) {
        int assign(int place) {
            return routing.ask(place) / 10;
        }
    }

    static final class Rider {
        private final Service dispatch;
        private int place;

        Rider(Service dispatch, int place) {
            this.dispatch = dispatch;
            this.place = place;
        }

        void order() throws InterruptedException {
            long from = System.nanoTime();
            place += dispatch.ask(place);
            DIARY.waited(from, System.nanoTime());
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Service geocoder = new Service(Geocoder::lookUp);
        Service routing = new Service(new Routing(geocoder)::route);
        Service dispatch = new Service(new Dispatch(routing)::assign);
        Truth.repeat("geocoder", geocoder::answerNext);
        Truth.repeat("routing", routing::answerNext);
        Truth.repeat("dispatch", dispatch::answerNext);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("rider-" + i, new Rider(dispatch, i)::order);
        }
        Truth.sleep(seconds);
        Truth.of("riders wait for a chain of services whose last one is slow")
            .object("CompletableFuture", "Signaller").culprit("Geocoder.lookUp").thread("geocoder")
            .victims("rider-*").share(DIARY.share(0), "the riders' waiting").say();
    }
}
