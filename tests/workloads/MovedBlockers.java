import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Four objects of four classes that threads park on in random order, each replaced now and then by a
 * new one, while garbage makes the JVM collect and move them. Arguments: seconds (3), threads (2), each of
 * which parks 5,000 times at least. A thread gives itself the permit first, so its park returns at once. Prints
 * `CLASS PARKS` for each.
 */
class MovedBlockers {
    public static void main(String[] arguments) throws InterruptedException {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 3;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        Thread[] parkers = new Thread[threads];
        long[][] parks = new long[threads][4];
        for (int i = 0; i < threads; i++) {
            long[] own = parks[i];
            parkers[i] = new Thread(() -> park(end, own), "parker-" + (i + 1));
            parkers[i].start();
        }
        while (System.nanoTime() < end) {
            for (int i = 0; i < 2000; i++) {
                garbage = new byte[ThreadLocalRandom.current().nextInt(8, 4000)];
            }
            System.gc();
        }
        for (Thread parker : parkers) {
            parker.join();
        }
        for (int kind = 0; kind < 4; kind++) {
            long sum = 0;
            for (long[] own : parks) {
                sum += own[kind];
            }
            System.out.println(make(kind).getClass().getSimpleName() + " " + sum);
        }
    }

    static void park(long end, long[] parks) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Thread me = Thread.currentThread();
        Object[] blockers = {make(0), make(1), make(2), make(3)};
        for (int n = 0; n < 5000 || System.nanoTime() < end; n++) {
            int kind = random.nextInt(4);
            if (random.nextInt(4096) == 0) {
                blockers[kind] = make(kind);
            }
            garbage = new byte[random.nextInt(8, 200)];
            LockSupport.unpark(me);
            LockSupport.park(blockers[kind]);
            parks[kind]++;
        }
    }

    static Object make(int kind) {
        switch (kind) {
            case 0: return new North();
            case 1: return new East();
            case 2: return new South();
            default: return new West();
        }
    }

    static volatile byte[] garbage;

    static class North {
    }

    static class East {
    }

    static class South {
    }

    static class West {
    }
}
