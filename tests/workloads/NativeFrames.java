import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks under native methods that call back into Java: two that differ in nothing but their names, in
 * random order. Arguments: the library, how many parks. Prints `left N right N` and ends.
 */
class NativeFrames {
    interface Side {
        void go(Runnable deed);
    }

    static class Left implements Side {
        @Override
        public native void go(Runnable deed);
    }

    static class Right implements Side {
        @Override
        public native void go(Runnable deed);
    }

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        int parks = Integer.parseInt(arguments[1]);
        Runnable deed = NativeFrames::park;
        Side[] sides = {new Left(), new Right()};
        int right = 0;
        for (int i = 0; i < parks; i++) {
            int side = ThreadLocalRandom.current().nextInt(2);
            right += side;
            sides[side].go(deed); // one call, so that nothing but the native frame differs
        }
        System.out.println("left " + (parks - right) + " right " + right);
    }

    static void park() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(NativeFrames.class);
    }
}
