import java.util.concurrent.atomic.AtomicInteger;

/**
 * Six pages are rendered; for each bean a class with a customised editor is looked up first, by a class loader that is
 * not capable of loading in parallel.
 *
 * Problem: hardly any bean has one, and the loader asks a remote store for every one that is missing, again and again,
 * 12 ms each, while its monitor is held. Truth: pages wait for the monitor of StoreLoader because of
 * StoreLoader.findClass. Measured: asking within the waiting for the loader.
 */
final class MissingClassesAskedRemotely {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = new ThreadLocal<>();

    static final class StoreLoader extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            long from = System.nanoTime();
            DIARY.waited(ASKED.get(), from);
            Truth.sleep(0.012);
            DIARY.held(0, from, System.nanoTime());
            throw new ClassNotFoundException(name);
        }
    }

    record Page(ClassLoader loader, AtomicInteger defaults) {
        void render(String bean) {
            ASKED.set(System.nanoTime());
            try {
                loader.loadClass("editors." + bean + "Editor");
            } catch (ClassNotFoundException exception) {
                defaults.incrementAndGet();
            }
            Truth.sleep(0.004);
        }
    }

    public static void main(String[] arguments) {
        ClassLoader loader = new StoreLoader();
        for (int i = 1; i <= 6; i++) {
            String bean = "Bean" + i;
            Page page = new Page(loader, new AtomicInteger());
            Truth.repeat("page-" + i, () -> page.render(bean));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a class loader asks a remote store under its monitor").object("StoreLoader")
            .culprit("StoreLoader.findClass").thread("page-*").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for the loader").say();
    }
}
