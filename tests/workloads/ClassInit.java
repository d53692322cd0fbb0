import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Classes that take long to be initialised. Arguments: "slow" and a file: until that exists, a thread
 * initialises Rates, while five others need it, each by another instruction; "deadlock": the
 * initialisers of Tariff and Rebate need each other, and two threads need Tariff; or "others" and
 * a file: Rates is initialised until then and nobody needs it, while threads stand still in many
 * other ways.
 */
class ClassInit {
    static File end;

    static class Rates {
        static int current;

        static {
            do {
                pause(100);
            } while (!end.exists());
            current = 1;
        }

        static int read() {
            return current;
        }
    }

    static final class SpecialRates extends Rates {
    }

    static final class Tariff {
        static int base;

        static {
            pause(300);
            base = 100 - Rebate.standard;
        }
    }

    static final class Rebate {
        static int standard;

        static {
            pause(300);
            standard = Tariff.base / 10;
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }

    interface Task {
        void run() throws Exception;
    }

    static void start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void slow() {
        start("initialiser", Rates::read);
        pause(200);
        start("invoker", () -> Rates.read());
        start("getter", () -> System.getProperty("r" + Rates.current));
        start("putter", () -> Rates.current = 2);
        start("maker", () -> new Rates());
        start("heir", () -> new SpecialRates());
    }

    static void deadlock() {
        start("tariff", () -> System.getProperty("t" + Tariff.base));
        start("rebate", () -> System.getProperty("r" + Rebate.standard));
        pause(450);
        for (int i = 1; i <= 2; i++) {
            start("quote-" + i, () -> System.getProperty("q" + Tariff.base));
        }
    }

    static void others() throws Exception {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
        Socket server = listener.accept();
        Object bell = new Object();
        start("initialiser", Rates::read);
        start("acceptor", listener::accept);
        start("reader", () -> server.getInputStream().read());
        start("sleeper", () -> pause(3600000));
        start("listener", () -> {
            synchronized (bell) {
                bell.wait();
            }
        });
        start("joiner", () -> Thread.currentThread().join());
        start("collector", () -> {
            List<int[]> live = new ArrayList<>();
            for (int i = 0; i < 1000000; i++) {
                live.add(new int[4]);
            }
            while (live.size() > 0) {
                System.gc();
            }
        });
        start("spinner", () -> {
            while (true) {
                new ClassInit();
            }
        });
        start("idle", java.util.concurrent.locks.LockSupport::park);
        if (client.isClosed()) {
            throw new IllegalStateException();
        }
    }

    public static void main(String[] arguments) throws Exception {
        end = arguments.length > 1 ? new File(arguments[1]) : null;
        switch (arguments[0]) {
        case "slow":
            slow();
            break;
        case "deadlock":
            deadlock();
            break;
        default:
            others();
        }
        pause(500);
        System.out.println("ready");
        if (end != null) {
            Rates.read();
            System.out.println("initialised");
        }
        pause(3600000);
    }
}
