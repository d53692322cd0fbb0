import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Six desks of a forwarder make quotes: each forks what it must know of the space on board and, for goods that pay it,
 * of the duty, on virtual threads where there are any; computes the freight itself (2 ms), and joins its forks.
 *
 * Problem: two of three goods pay duty, and the customs table is asked line after line, 30 ms in all, where space
 * takes 7 ms. Truth: desks wait for the latch of their scope because of CustomsTable.duty. Measured: of all the desks'
 * joining, that part during which the duty was worked out that ended it.
 */
final class DutyIsTheLastFork {
    static final LongAdder JOINED = new LongAdder(), BY_DUTY = new LongAdder();

    interface Part {
        double ask();
    }

    /** Forks and joins: no part outlives its scope. */
    static final class Scope implements AutoCloseable {
        private final List<Fork> forks = new ArrayList<>();
        private final CountDownLatch open;

        Scope(int parts) {
            open = new CountDownLatch(parts);
        }

        Fork fork(String name, Part part) {
            Fork fork = new Fork(part);
            forks.add(fork);
            Truth.virtual(name, fork);
            return fork;
        }

        double join() throws InterruptedException {
            open.await();
            return forks.stream().mapToDouble(fork -> fork.answer).sum();
        }

        @Override
        public void close() {
            forks.clear();
        }

        final class Fork implements Runnable {
            private final Part part;
            private double answer;
            long from, to;

            Fork(Part part) {
                this.part = part;
            }

            @Override
            public void run() {
                from = System.nanoTime();
                try {
                    answer = part.ask();
                } finally {
                    to = System.nanoTime();
                    open.countDown();
                }
            }
        }
    }

    record CustomsTable(int lines) {
        double duty(int goods) {
            double rate = 0.19;
            for (int line = 0; line < lines; line++) {
                rate += line(goods, line);
            }
            return rate;
        }

        private double line(int goods, int line) {
            Truth.sleep(0.005);
            return (goods + line) % 5 / 100.0;
        }
    }

    static final class Carrier {
        double space(int goods) {
            Truth.sleep(0.007);
            return goods % 3;
        }
    }

    record QuoteDesk(CustomsTable customs, Carrier carrier) {
        double quote(int goods) throws InterruptedException {
            boolean pays = goods % 3 != 0;
            try (Scope scope = new Scope(pays ? 2 : 1)) {
                Scope.Fork duty = pays ? scope.fork("part-duty", () -> customs.duty(goods)) : null;
                Scope.Fork space = scope.fork("part-space", () -> carrier.space(goods));
                Truth.sleep(0.002); // the freight
                long from = System.nanoTime();
                double price = scope.join();
                long to = System.nanoTime();
                JOINED.add(to - from);
                if (duty != null && duty.to > space.to) {
                    BY_DUTY.add(duty.to - Math.max(from, duty.from));
                }
                return price;
            }
        }
    }

    public static void main(String[] arguments) {
        QuoteDesk desk = new QuoteDesk(new CustomsTable(6), new Carrier());
        for (int i = 1; i <= 6; i++) {
            int[] goods = {i * 100};
            Truth.repeat("quote-" + i, () -> {
                desk.quote(goods[0]++);
                Thread.sleep(15);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("the duty is asked line after line, and is the last part of most quotes")
            .object("CountDownLatch", "Scope").culprit("CustomsTable.duty", "CustomsTable.line")
            .thread("part-duty").victims("quote-*")
            .share((double) BY_DUTY.sum() / JOINED.sum(), "the desks' joining of their forks").say();
    }
}
