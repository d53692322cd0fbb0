import java.lang.reflect.Method;
import java.util.concurrent.Callable;

/**
 * Three threads each wait again and again for two forks of a StructuredTaskScope, one of which waits for a fork of its
 * own, which is slow. Needs JDK 25 and --enable-preview. Argument: for how many seconds.
 */
class VirtualForks {
    /** By reflection, as programs of this folder are compiled for 17. */
    static void join(Callable<?>... forks) throws Exception {
        Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
        Method fork = type.getMethod("fork", Callable.class);
        Object scope = type.getMethod("open").invoke(null);
        for (Callable<?> each : forks) {
            fork.invoke(scope, each);
        }
        type.getMethod("join").invoke(scope);
        type.getMethod("close").invoke(scope);
    }

    static Object brief() throws Exception {
        Thread.sleep(2);
        return null;
    }

    static Object slow() throws Exception {
        Thread.sleep(40);
        return null;
    }

    static Object nested() throws Exception {
        join(VirtualForks::slow);
        return null;
    }

    static void ask() {
        try {
            while (true) {
                join(VirtualForks::brief, VirtualForks::nested);
                Thread.sleep(5);
            }
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i <= 3; i++) {
            Thread thread = new Thread(VirtualForks::ask, "asker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(1000 * Long.parseLong(arguments[0]));
    }
}
