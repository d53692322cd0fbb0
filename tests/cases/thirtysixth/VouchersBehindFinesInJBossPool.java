import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jboss.threads.EnhancedQueueExecutor;

/**
 * A city's office works on JBoss' EnhancedQueueExecutor, with three threads. Five counters have it
 * check a voucher (2 ms) and wait for the future.
 *
 * NEEDS: libjboss-threads-java libjboss-logging-java libwildfly-common-java (jboss-threads.jar
 * jboss-logging.jar wildfly-common.jar)
 *
 * Problem: a mailer has ten fines written at once, each 70 ms, by the same executor, FineLetter.write,
 * 9 ms each. Truth: counters wait for their future because of FineLetter.write. Measured: the part of
 * the counters' waiting during which letters are written, evenly shared with vouchers.
 */
final class VouchersBehindFinesInJBossPool {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class FineLetter implements Runnable {
        private final String number;

        FineLetter(String number) {
            this.number = number;
        }

        @Override
        public void run() {
            long from = System.nanoTime();
            write(new StringBuilder("Fine of car ").append(number));
            DIARY.held(0, from, System.nanoTime());
        }

        private void write(StringBuilder letter) {
            for (int paragraph = 0; paragraph < 3; paragraph++) {
                Truth.sleep(0.003);
                letter.append(paragraph);
            }
        }
    }

    static final class Voucher {
        private final int number;

        Voucher(int number) {
            this.number = number;
        }

        boolean check() {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
            return number % 5 != 0;
        }
    }

    public static void main(String[] arguments) {
        int[] number = new int[1];
        EnhancedQueueExecutor office = new EnhancedQueueExecutor.Builder()
            .setCorePoolSize(3).setMaximumPoolSize(3)
            .setThreadFactory(work -> Truth.daemon("default task-" + ++number[0], work)).build();
        Truth.repeat("fines-mailer", () -> {
            List<Future<?>> letters = new ArrayList<>();
            for (int car = 0; car < 10; car++) {
                letters.add(office.submit(new FineLetter("B-" + car)));
            }
            Thread.sleep(70);
            letters.clear();
        });
        DIARY.clients("counter", 5, 8, () -> office.submit(new Voucher(7)::check).get());
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("fines are written by the three threads for vouchers").object("FutureTask").culprit("FineLetter.write")
            .thread("default task-*").victims("counter-*")
            .share(DIARY.share(0), "the counters' waiting for a voucher").say();
        Runtime.getRuntime().halt(0);
    }
}
