import com.google.inject.Binder;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provider;
import com.google.inject.Scopes;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Each tenant has an injector of Guice's. Five workers serve one tenant after another; a new one comes every 150 ms.
 *
 * NEEDS: libguice-java libguava-java libatinject-jsr330-api-java libaopalliance-java (guice.jar guava.jar
 * atinject-jsr330-api.jar aopalliance.jar)
 *
 * Problem: a tenant's archive is a singleton that is made when somebody first wants it: ArchiveProvider.get connects
 * for 80 ms under Guice's lock for that singleton, and the other workers wait. Truth: workers wait for Guice's
 * ReentrantCycleDetectingLock because of ArchiveProvider.get. Measured: when an archive is made, within the other
 * workers' asking for one that takes more than 1 ms.
 */
final class ArchiveOpensWhenFirstInjected {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger SERVED = new AtomicInteger();
    static final ThreadLocal<Boolean> MADE = ThreadLocal.withInitial(() -> false);
    static volatile Injector tenant = tenant();

    static final class Archive {
        int pages = 3;
    }

    static final class ArchiveProvider implements Provider<Archive> {
        @Override
        public Archive get() {
            long from = System.nanoTime();
            Truth.sleep(0.08);
            MADE.set(true);
            DIARY.held(0, from, System.nanoTime());
            return new Archive();
        }
    }

    static Injector tenant() {
        return Guice.createInjector((Binder binder) ->
            binder.bind(Archive.class).toProvider(new ArchiveProvider()).in(Scopes.SINGLETON));
    }

    static void serve() throws InterruptedException {
        MADE.set(false);
        long from = System.nanoTime();
        SERVED.addAndGet(tenant.getInstance(Archive.class).pages / 3);
        long to = System.nanoTime();
        if (to - from > 1_000_000 && !MADE.get()) {
            DIARY.waited(from, to);
        }
        Thread.sleep(3);
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 5; i++) {
            Truth.repeat("worker-" + i, ArchiveOpensWhenFirstInjected::serve);
        }
        Truth.repeat("tenants", () -> {
            Thread.sleep(150);
            tenant = tenant();
        });
        Truth.sleep(seconds);
        System.out.printf("%d served, waited %.2f s in all%n", SERVED.get(), DIARY.waitedSeconds());
        Truth.of("a singleton connects when first injected").object("ReentrantCycleDetectingLock", "ReentrantLock")
            .culprit("ArchiveProvider.get").thread("worker-*").victims("worker-*")
            .share(DIARY.share(0), "the other workers' asking for an archive").say();
        System.exit(0);
    }
}
