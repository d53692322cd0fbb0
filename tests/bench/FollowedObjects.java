import java.util.ArrayList;
import java.util.List;

/**
 * A million objects that live and FOLLOWED (argument) more; then, for each line on the standard input, 16 MiB
 * of garbage so many times. Prints `built`, then `done` each time. Pauses are told by -Xlog:gc.
 */
class FollowedObjects {
    static final class Other {
        Other next;
        Object part;
        long value;
    }

    static final class Followed {
        final long value;

        Followed(long value) {
            this.value = value;
        }
    }

    static final List<Object> KEPT = new ArrayList<>();
    static final Object[] RING = new Object[4096];

    static void churn(int times) {
        int i = 0;
        for (long bytes = 0; bytes < (long) times << 24; bytes += 104) {
            RING[i++ & 4095] = new byte[88];
        }
    }

    public static void main(String[] arguments) throws Exception {
        Object[] followed = new Object[Integer.parseInt(arguments[0])];
        for (int i = 0; i < followed.length; i++) {
            followed[i] = new Followed(i);
        }
        KEPT.add(followed);
        System.out.println("built");
        var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        in.readLine();
        Other last = null;
        for (int i = 0; i < 1_000_000; i++) {
            Other other = new Other();
            other.next = (i & 1023) == 0 ? null : last;
            other.part = new byte[32];
            last = other;
            if ((i & 1023) == 1023) {
                KEPT.add(last);
            }
        }
        System.gc();
        System.gc();
        churn(40);
        for (String line; (line = in.readLine()) != null;) {
            System.out.println("begin");
            churn(Integer.parseInt(line));
            System.out.println("done");
        }
    }
}
