import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * A service for many tenants on Spring's bean factory: each tenant has a gateway and a set of limits, lazy
 * beans made when the tenant's first request comes.
 *
 * NEEDS: libspring-beans-java libspring-core-java libcommons-logging-java
 * (spring3-beans.jar spring3-core.jar commons-logging.jar)
 *
 * Problem: TenantGateway.open, the bean's init method, connects to the tenant's system (60 to 110 ms),
 * and Spring makes singletons one at a time under one monitor. Requests of other new tenants, and those
 * that only want their limits, wait. Truth: they wait for TenantGateway.open. Measured: whose init method
 * ran while they waited.
 */
final class TenantBeansConnectWhenMade {
    static final int GATEWAY = 0, LIMITS = 1, TENANTS = 4000;
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED_AT = new ThreadLocal<>();

    /** A line to the tenant's system. */
    public static final class TenantGateway {
        private boolean connected;

        public void open() {
            long from = System.nanoTime();
            DIARY.waited(ASKED_AT.get(), from);
            handshake();
            connected = true;
            DIARY.held(GATEWAY, from, System.nanoTime());
        }

        private void handshake() {
            Truth.sleep(0.060 + System.nanoTime() % 50 * 0.001);
        }

        boolean send(int request) {
            Truth.sleep(0.002);
            return connected && request >= 0;
        }
    }

    /** What a tenant may do: read from memory. */
    public static final class TenantLimits {
        private int perSecond;

        public void read() {
            long from = System.nanoTime();
            DIARY.waited(ASKED_AT.get(), from);
            perSecond = 100;
            DIARY.held(LIMITS, from, System.nanoTime());
        }

        boolean allow(int request) {
            return request < Integer.MAX_VALUE - perSecond;
        }
    }

    /** Knows how beans are called. */
    static final class TenantResolver {
        private final DefaultListableBeanFactory factory = new DefaultListableBeanFactory();

        TenantResolver() {
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                define("gateway-" + tenant, TenantGateway.class, "open");
                define("limits-" + tenant, TenantLimits.class, "read");
            }
        }

        TenantGateway gateway(int tenant) {
            return bean("gateway-" + tenant, TenantGateway.class);
        }

        TenantLimits limits(int tenant) {
            return bean("limits-" + tenant, TenantLimits.class);
        }

        private void define(String name, Class<?> type, String init) {
            RootBeanDefinition definition = new RootBeanDefinition(type);
            definition.setLazyInit(true);
            definition.setInitMethodName(init);
            factory.registerBeanDefinition(name, definition);
        }

        private <T> T bean(String name, Class<T> type) {
            ASKED_AT.set(System.nanoTime());
            return factory.getBean(name, type);
        }
    }

    /** What happens to a request. */
    static final class RequestPipeline {
        private static final AtomicInteger NEW_TENANTS = new AtomicInteger();
        private final TenantResolver tenants;
        private final Random random;
        private int requests;

        RequestPipeline(TenantResolver tenants, int seed) {
            this.tenants = tenants;
            random = new Random(seed);
        }

        void serve() throws InterruptedException {
            Thread.sleep(4 + random.nextInt(8));
            int known = NEW_TENANTS.get();
            boolean arrives = known == 0 || random.nextInt(10) == 0;
            forward(arrives ? NEW_TENANTS.incrementAndGet() % TENANTS : random.nextInt(known) % TENANTS);
        }

        private void forward(int tenant) {
            if (tenants.limits(tenant).allow(requests++)) {
                tenants.gateway(tenant).send(requests);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        TenantResolver tenants = new TenantResolver();
        for (int i = 1; i <= 8; i++) {
            Truth.repeat("http-exec-" + i, new RequestPipeline(tenants, i)::serve);
        }
        Truth.sleep(seconds);
        Truth.of("a tenant's bean connects while Spring's monitor for singletons is held")
            .object("ConcurrentHashMap").culprit("TenantGateway.open", "TenantResolver.gateway")
            .thread("http-exec-*").victims("http-exec-*")
            .share(DIARY.share(GATEWAY), "waiting for beans").say();
    }
}
