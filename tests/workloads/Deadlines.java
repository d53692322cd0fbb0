import java.util.concurrent.locks.LockSupport;

/** Parks until an instant of the calendar, which nobody ends before. Arguments: parks. */
class Deadlines {
    public static void main(String[] arguments) {
        long parks = Long.parseLong(arguments[0]);
        Object blocker = new Deadline();
        for (long i = 0; i < parks; i++) {
            LockSupport.parkUntil(blocker, System.currentTimeMillis() + 4);
        }
    }

    static class Deadline {
    }
}
