import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads classes until less than so many KiB of a limited metaspace (-XX:MaxMetaspaceSize) are left, prints
 * `ready` and stays until killed. Argument: KiB.
 */
class FullMetaspace {
    /** What is loaded. */
    static class Filler {
        int twice(int number) {
            return 2 * number;
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("FullMetaspace$Filler", bytes, 0, bytes.length);
        }
    }

    private static byte[] filler() throws IOException {
        try (InputStream stream = FullMetaspace.class.getResourceAsStream("FullMetaspace$Filler.class")) {
            return stream.readAllBytes();
        }
    }

    private static MemoryPoolMXBean metaspace() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace")) {
                return pool;
            }
        }
        throw new IllegalStateException("there is no metaspace");
    }

    public static void main(String[] arguments) throws Exception {
        long left = Long.parseLong(arguments[0]) * 1024;
        List<Class<?>> loaded = new ArrayList<>();
        byte[] bytes = filler();
        MemoryPoolMXBean pool = metaspace();
        for (MemoryUsage usage = pool.getUsage(); usage.getMax() - usage.getCommitted() >= left; usage = pool.getUsage()) {
            loaded.add(new Loader().define(bytes));
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE - loaded.size());
    }
}
