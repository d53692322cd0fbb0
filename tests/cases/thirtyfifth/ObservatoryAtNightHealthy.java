import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * An observatory's catalogue: HikariCP before H2, a cache of Caffeine's, a Disruptor for the log of
 * the night, Netty's executors for the dome's motors, Jetty's thread pool and scheduler for the few
 * who look on. An exposure begins each 300 ms, by the clock; four astronomers ask for a star each 80
 * ms or so; a motor moves each 100 ms.
 *
 * NEEDS: libhikaricp-java libh2-java libslf4j-java libcaffeine-java libdisruptor-java libnetty-java
 * libjetty9-java (HikariCP.jar h2.jar slf4j-api.jar slf4j-nop.jar caffeine.jar disruptor.jar
 * netty-common.jar jetty9-util.jar)
 *
 * Problem: none: all that waits, waits for the clock or for work. Truth: healthy. Measured: nothing.
 */
final class ObservatoryAtNightHealthy {
    static final class Line {
        private String text;
    }

    static final class Catalogue {
        private final HikariDataSource source;
        private final LoadingCache<Integer, Double> magnitudes;

        Catalogue(HikariDataSource source) {
            this.source = source;
            magnitudes = Caffeine.newBuilder().maximumSize(50).expireAfterWrite(400, TimeUnit.MILLISECONDS)
                .build(this::load);
        }

        private double load(int star) throws Exception {
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT magnitude FROM star WHERE id = " + star)) {
                return row.next() ? row.getDouble(1) : 99;
            }
        }

        double magnitude(int star) {
            return magnitudes.get(star);
        }
    }

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:stars;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(6);
        HikariDataSource source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE star (id INT PRIMARY KEY, magnitude DOUBLE)");
            for (int i = 0; i < 40; i++) {
                statement.execute("INSERT INTO star VALUES (" + i + ", " + i * 0.2 + ")");
            }
        }
        Catalogue catalogue = new Catalogue(source);
        Disruptor<Line> log = new Disruptor<>(Line::new, 256, (ThreadFactory) work -> Truth.daemon("night-log", work),
            ProducerType.MULTI, new BlockingWaitStrategy());
        log.handleEventsWith((line, sequence, last) -> line.text = line.text.trim());
        log.start();
        DefaultEventExecutorGroup motors = new DefaultEventExecutorGroup(2);
        int[] steps = new int[2];
        for (int i = 0; i < 2; i++) {
            int motor = i;
            motors.next().scheduleAtFixedRate(() -> steps[motor]++, 100, 100, TimeUnit.MILLISECONDS);
        }
        QueuedThreadPool web = new QueuedThreadPool(8, 4);
        web.setDaemon(true);
        web.start();
        ScheduledExecutorScheduler clock = new ScheduledExecutorScheduler("jetty-clock", true);
        clock.start();
        Truth.repeat("exposure", () -> {
            Thread.sleep(300 - System.nanoTime() / 1_000_000 % 300);
            log.publishEvent((line, sequence) -> line.text = " exposure " + sequence);
            clock.schedule(() -> web.execute(() -> catalogue.magnitude(7)), 20, TimeUnit.MILLISECONDS);
        });
        for (int i = 1; i <= 4; i++) {
            int own = i;
            Truth.repeat("astronomer-" + i, () -> {
                catalogue.magnitude(own * 7 % 40);
                Thread.sleep(70 + 7 * own);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("all waits for the clock or for work").object().culprit().thread().victims().noShare().say();
        Runtime.getRuntime().halt(0);
    }
}
