import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mail program: when a user opens a folder, a pool of eight makes previews of a few mails, 2 to
 * 4 ms each, and the user's thread waits for them. Users read for a while in between. Most
 * threads of the pool have nothing to do most of the time, and that is as it should be.
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class MailPreview {
    private final ExecutorService previews;
    private final LinkedBlockingQueue<Integer> seen = new LinkedBlockingQueue<>();

    private MailPreview() {
        AtomicInteger number = new AtomicInteger();
        previews = Executors.newFixedThreadPool(8, work -> {
            Thread thread = new Thread(work, "preview-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
    }

    public static void main(String[] arguments) {
        MailPreview mail = new MailPreview();
        for (int i = 0; i < 6; i++) {
            Random random = new Random(1234 + i);
            Thread user = new Thread(() -> mail.use(random), "user-" + i);
            user.setDaemon(true);
            user.start();
        }
        Thread indexer = new Thread(mail::index, "indexer");
        indexer.setDaemon(true);
        indexer.start();
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("the pool rests most of the time, its tasks take milliseconds and callers "
            + "get them at once")
            .object().culprit().thread().victims().noShare().say();
    }

    private void use(Random random) {
        try {
            while (true) {
                Thread.sleep(100 + random.nextInt(150));
                seen.add(open(random.nextInt(100)));
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private int open(int folder) throws InterruptedException {
        Callable<Integer> first = () -> preview(folder);
        Callable<Integer> second = () -> preview(folder + 1);
        int size = sum(previews.invokeAll(List.of(first, second)));
        return size + sum(List.of(previews.submit(() -> preview(folder + 2))));
    }

    private static int sum(List<Future<Integer>> parts) throws InterruptedException {
        int sum = 0;
        for (Future<Integer> part : parts) {
            try {
                sum += part.get();
            } catch (ExecutionException exception) {
                throw new IllegalStateException(exception);
            }
        }
        return sum;
    }

    private int preview(int mail) throws InterruptedException {
        Thread.sleep(2 + mail % 3);
        return mail;
    }

    private void index() {
        try {
            while (seen.take() >= 0) {
                Thread.sleep(1);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }
}
