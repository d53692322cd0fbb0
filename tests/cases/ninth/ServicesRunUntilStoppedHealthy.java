import com.google.common.util.concurrent.AbstractExecutionThreadService;
import com.google.common.util.concurrent.AbstractIdleService;
import com.google.common.util.concurrent.AbstractScheduledService;
import com.google.common.util.concurrent.ServiceManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Three services of Guava's ServiceManager: one looks for mail every 400 ms, one delivers it, one only has to be
 * stopped. A supervisor waits until all have stopped, an operator for the word to stop, which does not come today.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: none. Truth: healthy.
 */
final class ServicesRunUntilStoppedHealthy {
    static final class MailCheck extends AbstractScheduledService {
        private final LinkedBlockingQueue<String> mails;

        MailCheck(LinkedBlockingQueue<String> mails) {
            this.mails = mails;
        }

        @Override
        protected void runOneIteration() {
            mails.offer("mail");
        }

        @Override
        protected Scheduler scheduler() {
            return Scheduler.newFixedDelaySchedule(0, 400, TimeUnit.MILLISECONDS);
        }
    }

    static final class Delivery extends AbstractExecutionThreadService {
        private final LinkedBlockingQueue<String> mails;
        private int delivered;

        Delivery(LinkedBlockingQueue<String> mails) {
            this.mails = mails;
        }

        @Override
        protected void run() throws Exception {
            while (isRunning()) {
                delivered += mails.take().length();
                Thread.sleep(5);
            }
        }
    }

    static final class Mailbox extends AbstractIdleService {
        @Override
        protected void startUp() {
            Truth.sleep(0.05);
        }

        @Override
        protected void shutDown() {
            Truth.sleep(0.05);
        }
    }

    static final class Operator {
        private final CompletableFuture<String> stop = new CompletableFuture<>();

        void obey(ServiceManager services) {
            System.out.println(stop.join());
            services.stopAsync();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        LinkedBlockingQueue<String> mails = new LinkedBlockingQueue<>();
        ServiceManager services =
            new ServiceManager(List.of(new MailCheck(mails), new Delivery(mails), new Mailbox()));
        Truth.repeat("supervisor", () -> {
            services.startAsync().awaitHealthy();
            services.awaitStopped();
        });
        Operator operator = new Operator();
        Truth.repeat("operator", () -> operator.obey(services));
        Truth.sleep(seconds);
        Truth.healthy("services that run until somebody stops them").object().culprit().thread().victims().noShare()
            .say();
        System.exit(0);
    }
}
