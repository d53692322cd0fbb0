import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Ten uploads at a time, virtual threads where the JDK has them, have their pictures looked at by Spring's
 * ThreadPoolTaskExecutor of three threads, and wait for it. Each task is decorated with the upload's context.
 *
 * NEEDS: libspring-context-java libspring-core-java libspring-beans-java libcommons-logging-java (spring3-context.jar
 * spring3-core.jar spring3-beans.jar commons-logging.jar)
 *
 * Problem: one upload in five is a document, of which a preview is drawn, DocumentPreview.draw, 29 ms; a picture is
 * scaled in PictureScale.half, 3 ms. Truth: uploads wait for a FutureTask because of DocumentPreview.draw. Measured:
 * what the pool's threads do, evenly divided, during the uploads' waiting.
 */
final class PreviewsFillTheTaskExecutor {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** What is done with an upload. */
    abstract static class Step {
        final int perform(int upload) {
            long from = System.nanoTime();
            try {
                return work(upload);
            } finally {
                DIARY.held(who(), from, System.nanoTime());
            }
        }

        abstract int who();

        abstract int work(int upload);
    }

    static final class DocumentPreview extends Step {
        @Override
        int who() {
            return 0;
        }

        @Override
        int work(int upload) {
            return draw(upload);
        }

        private int draw(int upload) {
            int ink = upload;
            for (int page = 0; page < 29; page++) {
                Truth.sleep(0.001);
                ink += page;
            }
            return ink;
        }
    }

    static final class PictureScale extends Step {
        @Override
        int who() {
            return 1;
        }

        @Override
        int work(int upload) {
            return half(upload);
        }

        private int half(int upload) {
            Truth.sleep(0.003);
            return upload / 2;
        }
    }

    static final class Context implements TaskDecorator {
        static final ThreadLocal<String> TENANT = new ThreadLocal<>();

        @Override
        public Runnable decorate(Runnable task) {
            String tenant = TENANT.get();
            return () -> {
                TENANT.set(tenant);
                try {
                    task.run();
                } finally {
                    TENANT.remove();
                }
            };
        }
    }

    record Uploads(ThreadPoolTaskExecutor executor, Step preview, Step scale) {
        int accept(int upload, boolean document) throws Exception {
            Step step = document ? preview : scale;
            Future<Integer> result = executor.submit(() -> step.perform(upload));
            long from = System.nanoTime();
            int value = result.get();
            DIARY.waited(from, System.nanoTime());
            return value;
        }
    }

    public static void main(String[] arguments) {
        ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
        executor.setCorePoolSize(3);
        executor.setMaxPoolSize(3);
        executor.setDaemon(true);
        executor.setThreadNamePrefix("media-");
        executor.setTaskDecorator(new Context());
        executor.initialize();
        Uploads uploads = new Uploads(executor, new DocumentPreview(), new PictureScale());
        for (int i = 1; i <= 10; i++) {
            int own = i;
            Truth.virtual("upload-" + i, () -> {
                try {
                    while (true) {
                        uploads.accept(own, ThreadLocalRandom.current().nextInt(5) == 0);
                        Thread.sleep(22);
                    }
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            });
        }
        Truth.repeat("poller", () -> Thread.sleep(executor.getActiveCount() + 60));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("previews of documents fill a pool of three")
            .object("FutureTask").culprit("DocumentPreview.draw", "DocumentPreview.work").thread("media-*")
            .victims("upload-*").share(DIARY.share(0), "the uploads' waiting").say();
    }
}
