import java.lang.management.ManagementFactory;
import java.util.concurrent.CyclicBarrier;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Loads a library as an agent on several threads of its own at once, as a program can by the JVM's
 * diagnostic commands. Arguments: the library, its options, threads. Prints `loaded N`, how often that
 * succeeded, then parks on a lock 100 times in `main`, prints `done` and stays until killed.
 */
class ManyLoads {
    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[2]);
        CyclicBarrier start = new CyclicBarrier(n);
        Thread[] threads = new Thread[n];
        boolean[] loaded = new boolean[n];
        for (int i = 0; i < n; i++) {
            int number = i;
            threads[i] = new Thread(() -> loaded[number] = load(start, arguments), "loader-" + i);
            threads[i].start();
        }
        int sum = 0;
        for (int i = 0; i < n; i++) {
            threads[i].join();
            sum += loaded[i] ? 1 : 0;
        }
        System.out.println("loaded " + sum);
        for (int i = 0; i < 100; i++) {
            java.util.concurrent.locks.LockSupport.parkNanos(ManyLoads.class, 1_000_000);
        }
        System.out.println("done");
        Thread.sleep(Long.MAX_VALUE);
    }

    static boolean load(CyclicBarrier start, String[] arguments) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
            String[] words = {arguments[0], '"' + arguments[1] + '"'};
            start.await();
            Object answer = server.invoke(name, "jvmtiAgentLoad", new Object[] {words}, new String[] {String[].class.getName()});
            return String.valueOf(answer).contains("return code: 0");
        } catch (Exception exception) {
            throw new IllegalStateException(exception);
        }
    }
}
