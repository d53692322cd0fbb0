import java.util.concurrent.locks.LockSupport;

/**
 * Parks once on each of as many objects as the first argument says, and again after nine seconds, as many
 * times in all as the second says. Prints `parks N`.
 */
class Returning {
    public static void main(String[] arguments) throws InterruptedException {
        Returning[] objects = new Returning[Integer.parseInt(arguments[0])];
        int rounds = Integer.parseInt(arguments[1]);
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new Returning();
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < objects.length; i++) {
                LockSupport.parkNanos(objects[i], 1000);
                if (i % 5 == 0) {
                    Thread.sleep(1);
                }
            }
            Thread.sleep(9000);
        }
        System.out.println("parks " + objects.length * rounds);
    }
}
