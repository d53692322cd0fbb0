import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Six threads turn beans into JSON. For each bean the mapper first asks the application's class loader
 * for a class that may describe it; there never is one.
 *
 * Problem: ApplicationLoader is not parallel-capable, does not remember what is not there, and looks
 * through its 20 archives (5 ms) each time, under its own monitor. Truth: all wait for the loader, because
 * of ApplicationLoader.findClass. Measured: the part of the waiting during which one was in findClass.
 */
final class BeanInfoLookupsInLoader {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** An archive of the application; on a slow disk. */
    static final class Archive {
        private final List<String> entries = new ArrayList<>();

        Archive(int number) {
            for (int i = 0; i < 200; i++) {
                entries.add("shop/part" + number + "/Class" + i + ".class");
            }
        }

        boolean has(String entry) throws InterruptedException {
            Thread.sleep(0, 150_000);
            return entries.contains(entry);
        }
    }

    static final class ApplicationLoader extends ClassLoader {
        private final List<Archive> archives = new ArrayList<>();
        private final ThreadLocal<Long> asked = new ThreadLocal<>();

        ApplicationLoader(ClassLoader parent) {
            super(parent);
            for (int i = 0; i < 20; i++) {
                archives.add(new Archive(i));
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.set(System.nanoTime());
            return super.loadClass(name, resolve);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            long from = System.nanoTime();
            DIARY.waited(asked.get(), from);
            try {
                for (Archive archive : archives) {
                    if (archive.has(name.replace('.', '/') + ".class")) {
                        throw new IllegalStateException("never");
                    }
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
            throw new ClassNotFoundException(name);
        }
    }

    record BeanMapper(ApplicationLoader loader) {
        String toJson(String type, int value) {
            return description(type) == null ? "{\"" + type + "\":" + value + "}" : "{}";
        }

        private Class<?> description(String type) {
            try {
                return loader.loadClass("shop." + type + "BeanInfo");
            } catch (ClassNotFoundException exception) {
                return null;
            }
        }
    }

    static final class OrderApi {
        private static final List<String> TYPES = List.of("Order", "Line", "Address", "Invoice");
        private final BeanMapper mapper;
        private final Random random;

        OrderApi(BeanMapper mapper, int seed) {
            this.mapper = mapper;
            random = new Random(seed);
        }

        void answer() throws InterruptedException {
            Thread.sleep(10);
            mapper.toJson(TYPES.get(random.nextInt(TYPES.size())), random.nextInt());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BeanMapper mapper = new BeanMapper(
            new ApplicationLoader(BeanInfoLookupsInLoader.class.getClassLoader()));
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("orders-http-" + i, new OrderApi(mapper, i)::answer);
        }
        Truth.sleep(seconds);
        Truth.of("a class that does not exist is looked for again and again, under the class loader")
            .object("ApplicationLoader")
            .culprit("ApplicationLoader.findClass", "Archive.has", "BeanMapper.description")
            .thread("orders-http-*").victims("orders-http-*")
            .share(DIARY.share(0), "the waiting for the loader").say();
    }
}
