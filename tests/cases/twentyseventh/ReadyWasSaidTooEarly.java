import java.util.ArrayList;
import java.util.List;

/**
 * Five services wait until a new configuration has been read, by a monitor of Configuration: one asks for it, waits for
 * the note that it is there, and goes on.
 *
 * Problem: Configuration.await looks at the version without the monitor, and then waits, without looking again. After
 * two fifths of the time reading is quick, and the note comes in between. Nothing is read any more, as nobody asks.
 * Truth: stuck; services wait for ever for the Configuration in Configuration.await.
 */
final class ReadyWasSaidTooEarly {
    static final class Configuration {
        private volatile int version;
        private volatile int wanted;
        volatile double reading = 0.02;

        void await(int needed) throws InterruptedException {
            wanted = Math.max(wanted, needed);
            if (version < needed) {
                Thread.sleep(8); // logs that it waits
                synchronized (this) {
                    wait();
                }
            }
        }

        void readIfWanted() throws InterruptedException {
            if (version < wanted) {
                Truth.sleep(reading);
                synchronized (this) {
                    version = wanted;
                    notifyAll();
                }
            }
            Thread.sleep(1);
        }

        int version() {
            return version;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Configuration configuration = new Configuration();
        List<Thread> services = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            services.add(Truth.repeat("service-" + i, () -> {
                configuration.await(configuration.version() + 1);
                Thread.sleep(12);
            }));
        }
        Truth.repeat("reader", configuration::readIfWanted);
        Truth.repeat("nudge", () -> { // those that came just too late
            Thread.sleep(60);
            synchronized (configuration) {
                if (configuration.reading > 0.01) {
                    configuration.notifyAll();
                }
            }
        });
        Truth.hangsOnce(services);
        Truth.sayAndHalt(Truth.stuck("a note is sent between the look and the wait, and nobody looks again")
            .object("Configuration").culprit("Configuration.await").thread("service-*").victims("service-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        configuration.reading = 0.0005;
        Truth.sleep(seconds + 2);
    }
}
