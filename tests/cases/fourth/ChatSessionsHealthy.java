import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedTransferQueue;

/**
 * Sixty chat sessions, virtual threads where there are such, wait for messages at a queue each. Eight
 * people write something each second or two, which goes to ten sessions.
 *
 * Problem: none; sessions wait for messages. Truth: healthy. Measured: nothing.
 */
final class ChatSessionsHealthy {
    public static void main(String[] arguments) {
        List<LinkedTransferQueue<String>> sessions = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            LinkedTransferQueue<String> session = new LinkedTransferQueue<>();
            sessions.add(session);
            start("session-" + i, () -> {
                try {
                    session.take();
                } catch (InterruptedException exception) {
                    Thread.currentThread().interrupt();
                }
                Truth.sleep(0.001);
            });
        }
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            start("writer-" + i, () -> {
                Truth.sleep(1 + random.nextDouble());
                for (int n = 0; n < 10; n++) {
                    sessions.get(random.nextInt(sessions.size())).add("hello");
                }
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("sessions wait until somebody writes")
            .object().culprit().thread().victims().noShare().say();
    }

    /** A virtual thread where there are such, else a daemon. */
    private static void start(String name, Runnable turn) {
        Runnable work = () -> {
            while (true) {
                turn.run();
            }
        };
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class).invoke(builder, name);
            type.getMethod("start", Runnable.class).invoke(builder, work);
        } catch (ReflectiveOperationException exception) {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
        }
    }
}
