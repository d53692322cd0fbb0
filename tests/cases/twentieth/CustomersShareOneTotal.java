import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;

/**
 * A pool keeps links to customers' systems, by customer, and at most five in all (GenericKeyedObjectPool of Commons
 * Pool). Seven customers have a thread each that sends them a note; the eighth has four that copy its archive.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: ArchiveCopy.copy keeps a link for 110 ms, and four of them keep four of the five, though nobody else wants a
 * link to that customer; a note takes 4 ms. Truth: who sends notes waits for the deque of its own customer because of
 * ArchiveCopy.copy. Measured: the part of the links kept that copies keep, within all waiting for links.
 */
final class CustomersShareOneTotal {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Link {
        private int sent;

        void send(double seconds) {
            Truth.sleep(seconds);
            sent++;
        }
    }

    static final class Links extends BaseKeyedPooledObjectFactory<String, Link> {
        @Override
        public Link create(String customer) {
            return new Link();
        }

        @Override
        public PooledObject<Link> wrap(Link link) {
            return new DefaultPooledObject<>(link);
        }
    }

    static final class Notes implements Truth.Step {
        private final GenericKeyedObjectPool<String, Link> pool;
        private final String customer;

        Notes(GenericKeyedObjectPool<String, Link> pool, String customer) {
            this.pool = pool;
            this.customer = customer;
        }

        @Override
        public void run() throws Exception {
            long from = System.nanoTime();
            Link link = pool.borrowObject(customer);
            long got = System.nanoTime();
            DIARY.waited(from, got);
            link.send(0.004);
            DIARY.held(1, got, System.nanoTime());
            pool.returnObject(customer, link);
            Thread.sleep(20);
        }
    }

    static final class ArchiveCopy implements Truth.Step {
        private final GenericKeyedObjectPool<String, Link> pool;

        ArchiveCopy(GenericKeyedObjectPool<String, Link> pool) {
            this.pool = pool;
        }

        @Override
        public void run() throws Exception {
            copy();
            Thread.sleep(10);
        }

        private void copy() throws Exception {
            long from = System.nanoTime();
            Link link = pool.borrowObject("museum");
            long got = System.nanoTime();
            DIARY.waited(from, got);
            for (int page = 0; page < 11; page++) {
                link.send(0.01);
            }
            DIARY.held(0, got, System.nanoTime());
            pool.returnObject("museum", link);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        GenericKeyedObjectPool<String, Link> pool = new GenericKeyedObjectPool<>(new Links());
        pool.setMaxTotal(5);
        pool.setMaxTotalPerKey(5);
        AtomicInteger number = new AtomicInteger();
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("copy-" + i, new ArchiveCopy(pool));
        }
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("notes-" + i, new Notes(pool, "customer-" + number.incrementAndGet()));
        }
        Truth.sleep(seconds);
        System.out.printf("waited %.2f s%n", DIARY.waitedSeconds());
        Truth.of("copies for one customer keep nearly all links that there may be in all")
            .object("LinkedBlockingDeque", "ConditionObject").culprit("ArchiveCopy.copy").thread("copy-*")
            .victims("notes-*").share(DIARY.share(0), "all waiting for links").say();
        Runtime.getRuntime().halt(0);
    }
}
