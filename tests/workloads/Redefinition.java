import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;

/**
 * The right to redefine classes, had when the JVM starts with -javaagent:redefinition.jar. Redefining a
 * class gives its methods new identities while old frames are still on the stacks.
 */
class Redefinition {
    static volatile Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    /** Redefines the class with its own bytes; nothing without the right to. */
    static void again(Class<?> type) {
        if (instrumentation == null) {
            return;
        }
        String name = type.getName() + ".class";
        try (InputStream in = Redefinition.class.getResourceAsStream(name)) {
            as(type, in.readAllBytes());
        } catch (IOException exception) {
            throw new AssertionError(exception);
        }
    }

    static void as(Class<?> type, byte[] bytes) {
        try {
            instrumentation.redefineClasses(new ClassDefinition(type, bytes));
        } catch (ClassNotFoundException | UnmodifiableClassException exception) {
            throw new AssertionError(exception);
        }
    }
}
