import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A server with a thread for each request, a virtual one where the JDK has them: eight at a time, each works 4 ms and
 * leaves three records for the audit in a queue of 16.
 *
 * Problem: one thread writes the audit, AuditFile.append, 3 ms a record, to a share on the network; the queue is always
 * full. Truth: requests wait for room in a LinkedBlockingQueue because of AuditFile.append. Measured: appending within
 * the requests' waiting.
 */
final class AuditFileHoldsTheRequests {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class AuditFile {
        private long length;

        void append(String record) {
            long from = System.nanoTime();
            Truth.sleep(0.003);
            length += record.length();
            DIARY.held(0, from, System.nanoTime());
        }
    }

    record Request(BlockingQueue<String> audit, int number) {
        void handle() throws InterruptedException {
            Truth.sleep(0.004);
            long from = System.nanoTime();
            for (String what : new String[] {"read", "changed", "left"}) {
                audit.put(number + " " + what);
            }
            DIARY.waited(from, System.nanoTime());
        }
    }

    public static void main(String[] arguments) {
        BlockingQueue<String> queue = new LinkedBlockingQueue<>(16);
        AuditFile file = new AuditFile();
        Truth.repeat("audit", () -> file.append(queue.take()));
        for (int i = 0; i < 8; i++) {
            int lane = i;
            Truth.repeat("acceptor-" + i, () -> {
                Truth.virtual("request-" + lane, () -> {
                    try {
                        new Request(queue, lane).handle();
                    } catch (InterruptedException exception) {
                        Thread.currentThread().interrupt();
                    }
                });
                Thread.sleep(90);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("an audit is written slower than requests leave records").object("ConditionObject",
            "LinkedBlockingQueue").culprit("AuditFile.append").thread("audit").victims("request-*")
            .share(DIARY.share(0), "the requests' waiting for room").say();
    }
}
