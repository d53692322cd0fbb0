import com.google.common.util.concurrent.Monitor;

/**
 * A warehouse is guarded by Guava's Monitor. Three pickers wait until the depot has their article, which a lorry brings
 * every 200 ms; five desks look up or correct a number for some microseconds, every 10 ms.
 *
 * NEEDS: libguava-java (guava.jar)
 *
 * Problem: whoever leaves a Monitor evaluates the guards of those who wait, and ArticleInStock.isSatisfied asks the
 * depot each time, for 5 ms. Truth: desks wait for the Monitor's ReentrantLock because of ArticleInStock.isSatisfied or
 * Depot.ask. Measured: when guards are evaluated, within the desks' calls of enter that take more than 1 ms.
 */
final class GuardsAskTheDepot {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Depot {
        private final int[] stock = new int[3];

        int ask(int article) {
            Truth.sleep(0.005);
            return stock[article];
        }
    }

    static final class ArticleInStock extends Monitor.Guard {
        private final Depot depot;
        private final int article;

        ArticleInStock(Monitor monitor, Depot depot, int article) {
            super(monitor);
            this.depot = depot;
            this.article = article;
        }

        @Override
        public boolean isSatisfied() {
            long from = System.nanoTime();
            boolean isThere = depot.ask(article) > 0;
            DIARY.held(0, from, System.nanoTime());
            return isThere;
        }
    }

    static final class Warehouse {
        private final Monitor monitor = new Monitor(true);
        private final Depot depot = new Depot();
        private int corrections;

        void pick(Monitor.Guard guard, int article) throws InterruptedException {
            monitor.enterWhen(guard);
            try {
                depot.stock[article]--;
            } finally {
                monitor.leave();
            }
            Thread.sleep(20);
        }

        void unload() throws InterruptedException {
            monitor.enter();
            try {
                for (int article = 0; article < 3; article++) {
                    depot.stock[article]++;
                }
            } finally {
                monitor.leave();
            }
            Thread.sleep(200);
        }

        void correct() throws InterruptedException {
            long from = System.nanoTime();
            monitor.enter();
            long to = System.nanoTime();
            if (to - from > 1_000_000) {
                DIARY.waited(from, to);
            }
            try {
                corrections++;
            } finally {
                monitor.leave();
            }
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        Warehouse warehouse = new Warehouse();
        for (int i = 0; i < 3; i++) {
            int article = i;
            Monitor.Guard guard = new ArticleInStock(warehouse.monitor, warehouse.depot, article);
            Truth.repeat("picker-" + (i + 1), () -> warehouse.pick(guard, article));
        }
        Truth.repeat("lorry", warehouse::unload);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("desk-" + i, warehouse::correct);
        }
        DIARY.fill(seconds);
        Truth.of("guards ask the depot while everybody waits for the monitor").object("ReentrantLock", "Monitor")
            .culprit("ArticleInStock.isSatisfied", "Depot.ask").thread("desk-*").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting to enter").say();
        System.exit(0);
    }
}
