import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Compiled code that goes though its classes stay: 200 copies of one method, each of a class loader of its
 * own, are compiled while nothing parks (`ready`). When the file GO is there all of them park, and a new
 * subclass makes that code wrong, so that the JVM throws it away at one of the collections that follow for
 * ever; each collection is preceded by parks below every copy. Argument: GO.
 */
public class OldCode {
    static final int COPIES = 200;
    static final int TO_COMPILE = 12_000;

    public static boolean parks;
    static int turns;

    public static void main(String[] arguments) throws Exception {
        Path go = Path.of(arguments[0]);
        List<Copied> copies = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            Class<?> copy = new Reloader("OldCode$Copy").loadClass("OldCode$Copy");
            copies.add((Copied) copy.getDeclaredConstructor().newInstance());
        }
        Step step = new Step();
        for (Copied copy : copies) {
            for (int i = 0; i < TO_COMPILE; i++) {
                copy.run(step);
            }
        }
        System.out.println("ready");
        while (!Files.exists(go)) {
            Thread.sleep(10);
        }
        parks = true;
        for (int round = 0;; round++) {
            // a few rounds only: what runs often is compiled anew, and that is not the code in question
            for (Copied copy : round < 10 ? copies : List.<Copied>of()) {
                copy.run(step);
                copy.run(new OtherStep());
            }
            System.out.println("round " + round);
            System.gc();
            Thread.sleep(50);
        }
    }

    static void park() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(OldCode.class);
    }

    public static class Step {
        public void go() {
            if (parks) {
                park();
            } else {
                turns++;
            }
        }
    }

    /** Not loaded before GO. */
    public static class OtherStep extends Step {
        @Override
        public void go() {
            park();
        }
    }

    public interface Copied {
        void run(Step step);
    }

    /** Loaded anew by each Reloader. */
    public static class Copy implements Copied {
        @Override
        public void run(Step step) {
            step.go();
        }
    }
}
