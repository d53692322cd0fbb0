import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.commons.dbcp.BasicDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A shop with Spring's TransactionTemplate and JdbcTemplate over Commons DBCP (the first; three connections) to an
 * H2 in memory. All of it goes through Unit.of. Seven customers look at what they ordered, two packers send parcels.
 *
 * NEEDS: libcommons-dbcp-java libcommons-pool-java libh2-java libspring-jdbc-java libspring-transaction-java
 * libspring-core-java libspring-beans-java libcommons-logging-java (commons-dbcp.jar commons-pool.jar h2.jar
 * spring3-jdbc.jar spring3-transaction.jar spring3-core.jar spring3-beans.jar commons-logging.jar)
 *
 * Problem: who sends a parcel asks the courier for a label within the transaction, Courier.label, 32 ms. Truth:
 * customers wait for the pool (Latch or GenericObjectPool) because of Courier.label. Measured: the part of the waiting
 * for a transaction's beginning during which labels are asked for, evenly shared with other transactions.
 */
final class CourierAskedInsideTheTemplate {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Unit {
        private final TransactionTemplate transactions;
        private final JdbcTemplate jdbc;

        Unit(DataSource source) {
            transactions = new TransactionTemplate(new DataSourceTransactionManager(source));
            jdbc = new JdbcTemplate(source);
        }

        <T> T of(Function<JdbcTemplate, T> work) {
            long from = System.nanoTime();
            return transactions.execute(status -> {
                DIARY.waited(from, System.nanoTime());
                return work.apply(jdbc);
            });
        }
    }

    static final class Courier {
        String label(int parcel) {
            long from = System.nanoTime();
            Truth.sleep(0.032);
            DIARY.held(0, from, System.nanoTime());
            return "C" + parcel;
        }
    }

    static final class Orders {
        private final Unit unit;

        Orders(Unit unit) {
            this.unit = unit;
        }

        int look(int customer) {
            return unit.of(jdbc -> rows(jdbc, customer));
        }

        static int rows(JdbcTemplate jdbc, int customer) {
            long from = System.nanoTime();
            Integer n = jdbc.queryForObject("select count(*) from orders where customer = ?", Integer.class, customer);
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
            return n == null ? 0 : n;
        }
    }

    static final class Shipping {
        private final Unit unit;
        private final Courier courier = new Courier();

        Shipping(Unit unit) {
            this.unit = unit;
        }

        void send(int parcel) {
            unit.of(jdbc -> {
                int open = Orders.rows(jdbc, parcel % 10);
                String label = open > 100_000 ? "none" : courier.label(parcel);
                return jdbc.update("insert into orders values (?, ?)", parcel % 10, label);
            });
        }
    }

    public static void main(String[] arguments) {
        BasicDataSource source = new BasicDataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
        source.setMaxActive(3);
        source.setDefaultAutoCommit(true);
        Unit unit = new Unit(source);
        unit.of(jdbc -> jdbc.update("create table orders (customer int, label varchar(20))"));
        Orders orders = new Orders(unit);
        Shipping shipping = new Shipping(unit);
        for (int i = 1; i <= 7; i++) {
            int own = i;
            Truth.repeat("customer-" + i, () -> {
                orders.look(own);
                Thread.sleep(12);
            });
        }
        for (int i = 1; i <= 2; i++) {
            int own = i;
            Truth.repeat("packer-" + i, () -> {
                shipping.send(own);
                Thread.sleep(8);
            });
        }
        Truth.repeat("meter", () -> Thread.sleep(source.getNumActive() + 100));
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a courier is asked within a transaction").object("Latch", "GenericObjectPool").culprit("Courier.label")
            .thread("packer-*").victims("customer-*").share(DIARY.share(0), "the waiting for a connection").say();
        Runtime.getRuntime().halt(0);
    }
}
