import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Three pairs of threads move bookings: a filler fills a page and exchanges it for an empty one,
 * a drainer exchanges empty for full and hands the rows on to a printer. When a filler finds a
 * wrong checksum, it stops and ends, after two to three seconds; its drainer stays in the
 * exchange.
 *
 * Problem: PageFiller.fill gives up and tells nobody. Truth: stuck; the drainers wait at their
 * Exchangers for a party that has gone. Measured: no share; HANG is said when all fillers have
 * ended.
 */
class LedgerSwap {
    private static final Exchanger<List<Integer>> OFFICE = new Exchanger<>();

    public static void main(String[] arguments) throws InterruptedException {
        Truth.sayAndHalt(Truth.stuck("the fillers have given up after a wrong checksum, and the "
            + "drainers wait for ever for somebody to exchange pages with")
            .object("Exchanger", "Node")
            .culprit("PageFiller.fill", "PageFiller.next", "PageFiller.checksum", "PageFiller.run")
            .thread("filler-*").victims("drainer-*").noShare(),
            Truth.seconds(arguments));
        LinkedBlockingQueue<Integer> rows = new LinkedBlockingQueue<>();
        new Thread(() -> print(rows), "printer").start();
        new Thread(LedgerSwap::sign, "clerk-1").start();
        new Thread(LedgerSwap::sign, "clerk-2").start();
        List<PageFiller> fillers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Exchanger<List<Integer>> exchanger = new Exchanger<>();
            fillers.add(new PageFiller(exchanger, i));
            new PageDrainer(exchanger, i, rows).start();
        }
        fillers.forEach(Thread::start);
        for (PageFiller filler : fillers) {
            filler.join();
        }
        Truth.sleep(0.5);
        Truth.hangs();
    }

    static void print(LinkedBlockingQueue<Integer> rows) {
        try {
            while (rows.take() != null) {
                Thread.sleep(1);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    /** Two clerks who keep exchanging, as the healthy would. */
    static void sign() {
        try {
            while (true) {
                OFFICE.exchange(List.of());
                Thread.sleep(50);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    abstract static class Party extends Thread {
        private final Exchanger<List<Integer>> exchanger;

        Party(Exchanger<List<Integer>> exchanger, String name) {
            super(name);
            this.exchanger = exchanger;
        }

        List<Integer> swap(List<Integer> page) {
            try {
                return exchanger.exchange(page);
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    static final class PageFiller extends Party {
        private final Random random;
        private final int number;
        private int pages;

        PageFiller(Exchanger<List<Integer>> exchanger, int number) {
            super(exchanger, "filler-" + number);
            this.number = number;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            List<Integer> page = new ArrayList<>();
            while (fill(page)) {
                page = swap(page);
            }
        }

        private boolean fill(List<Integer> page) {
            while (page.size() < 5) {
                int row = next();
                if (checksum(row) != 0) {
                    return false;
                }
                page.add(row);
            }
            pages++;
            return true;
        }

        private int next() {
            Truth.sleep(0.003 + random.nextDouble() * 0.006);
            return pages < 50 + 9 * number ? 2 * random.nextInt(100) : 1;
        }

        private static int checksum(int row) {
            return row % 2;
        }
    }

    static final class PageDrainer extends Party {
        private final LinkedBlockingQueue<Integer> rows;

        PageDrainer(Exchanger<List<Integer>> exchanger, int number,
            LinkedBlockingQueue<Integer> rows) {
            super(exchanger, "drainer-" + number);
            this.rows = rows;
        }

        @Override
        public void run() {
            List<Integer> page = new ArrayList<>();
            while (true) {
                page = drained(page);
            }
        }

        private List<Integer> drained(List<Integer> empty) {
            List<Integer> full = swap(empty);
            rows.addAll(full);
            full.clear();
            return full;
        }
    }
}
