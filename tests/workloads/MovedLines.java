import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * A class that is redefined with the same code on other lines (with -javaagent:redefinition.jar): its
 * method parks ROUNDS (argument) times before and as often after. Prints `lines OLD NEW`, the line of
 * the park in either version, and ends.
 */
class MovedLines {
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            Moved1.go();
        }
        int before = Moved1.line();
        try (InputStream in = MovedLines.class.getResourceAsStream("Moved2.class")) {
            String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            byte[] moved = bytes.replace("Moved2", "Moved1").getBytes(StandardCharsets.ISO_8859_1);
            Redefinition.as(Moved1.class, moved);
        }
        for (int i = 0; i < rounds; i++) {
            Moved1.go();
        }
        System.out.println("lines " + before + " " + Moved1.line());
    }
}

class Moved1 {
    static void go() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(MovedLines.class);
    }

    static int line() {
        return new Throwable().getStackTrace()[0].getLineNumber() - 4;
    }
}

class Moved2 {
    // so
    // that
    // it
    // lies
    // elsewhere
    static void go() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(MovedLines.class);
    }

    static int line() {
        return new Throwable().getStackTrace()[0].getLineNumber() - 4;
    }
}
