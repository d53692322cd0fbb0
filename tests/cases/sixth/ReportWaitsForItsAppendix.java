import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two desks assemble reports of four parts; each part is made by a thread of its own, and the desk joins
 * them one after the other.
 *
 * Problem: AppendixRenderer.render fetches twelve attachments one by one, and takes five times as long as
 * any other part. Truth: the desks wait for it. Measured: how long joins of each part took.
 */
final class ReportWaitsForItsAppendix {
    static final AtomicLong JOINING = new AtomicLong(), JOINING_APPENDIX = new AtomicLong();

    interface Part {
        String render() throws InterruptedException;
    }

    /** Files, 14 ms each. */
    static final class AttachmentStore {
        byte[] fetch(int number) throws InterruptedException {
            Thread.sleep(14);
            return new byte[100 + number];
        }
    }

    record AppendixRenderer(AttachmentStore store) implements Part {
        @Override
        public String render() throws InterruptedException {
            int bytes = 0;
            for (int number = 1; number <= 12; number++) {
                bytes += store.fetch(number).length;
            }
            return "appendix of " + bytes + " bytes";
        }
    }

    static final class CoverRenderer implements Part {
        @Override
        public String render() throws InterruptedException {
            Thread.sleep(15);
            return "cover";
        }
    }

    static final class FiguresRenderer implements Part {
        @Override
        public String render() throws InterruptedException {
            Thread.sleep(35);
            return "figures";
        }
    }

    static final class TextRenderer implements Part {
        @Override
        public String render() throws InterruptedException {
            Thread.sleep(28);
            return "text";
        }
    }

    /** A thread that makes one part. */
    static final class PartThread extends Thread {
        private static final AtomicInteger NUMBERS = new AtomicInteger();
        private final Part part;
        private String result;

        PartThread(Part part) {
            super("report-part-" + NUMBERS.incrementAndGet());
            this.part = part;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                result = part.render();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        String result() {
            return result;
        }
    }

    static final class ReportDesk {
        private final AttachmentStore store = new AttachmentStore();

        void makeNext() throws InterruptedException {
            deliver(assemble());
            Thread.sleep(20);
        }

        private String assemble() throws InterruptedException {
            List<PartThread> threads = new ArrayList<>();
            for (Part part : List.of(new CoverRenderer(), new FiguresRenderer(),
                new AppendixRenderer(store), new TextRenderer())) {
                PartThread thread = new PartThread(part);
                thread.start();
                threads.add(thread);
            }
            StringBuilder report = new StringBuilder();
            for (PartThread thread : threads) {
                report.append(finished(thread)).append('\n');
            }
            return report.toString();
        }

        private String finished(PartThread thread) throws InterruptedException {
            long from = System.nanoTime();
            thread.join();
            long time = System.nanoTime() - from;
            JOINING.addAndGet(time);
            if (thread.part instanceof AppendixRenderer) {
                JOINING_APPENDIX.addAndGet(time);
            }
            return thread.result();
        }

        private void deliver(String report) {
            if (report.contains("null")) {
                throw new IllegalStateException("a part is missing");
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 2; i++) {
            Truth.repeat("report-desk-" + i, new ReportDesk()::makeNext);
        }
        Truth.sleep(seconds);
        Truth.of("one part of a report takes five times as long as the others")
            .object("Thread", "PartThread").culprit("AppendixRenderer.render").thread("report-part-*")
            .victims("report-desk-*")
            .share((double) JOINING_APPENDIX.get() / JOINING.get(), "joining parts").say();
    }
}
