import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.concurrent.locks.LockSupport;

/**
 * The right to redefine classes, had when the JVM starts with -javaagent:redefinition.jar. Redefining a
 * class gives its methods new identities while old frames are still on the stacks.
 */
class Redefinition {
    static volatile Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
        if ("retransform".equals(arguments)) {
            given.addTransformer(new ClassFileTransformer() {
                @Override
                public byte[] transform(ClassLoader loader, String name, Class<?> type,
                        ProtectionDomain domain, byte[] bytes) {
                    return "java/util/concurrent/locks/LockSupport".equals(name) ? bytes.clone() : null;
                }
            }, true);
            retransform(LockSupport.class);
        }
    }

    /** Has all agents change the class anew. */
    static void retransform(Class<?> type) {
        try {
            instrumentation.retransformClasses(type);
        } catch (UnmodifiableClassException exception) {
            throw new AssertionError(exception);
        }
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
