/**
 * A system class loader (-Djava.system.class.loader=OwnLoader) that tells on stderr when it is asked for a class
 * of the platform, which the program's classes do not ask it for.
 */
public class OwnLoader extends ClassLoader {
    public OwnLoader(ClassLoader parent) {
        super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("parkmeter.")) {
            System.err.println(Thread.currentThread().getName() + " asks for " + name);
        }
        return super.loadClass(name, resolve);
    }
}
