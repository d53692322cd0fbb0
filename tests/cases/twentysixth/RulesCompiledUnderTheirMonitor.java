import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Seven tills price goods by a rule that the shop's manager writes as Java; a rule set keeps the one that is valid.
 * Another thread prints the rule set, for 12 ms, under the same monitor.
 *
 * Problem: the manager's rules change twice a second, and RuleSet.replace compiles the new one, and loads its class,
 * within the monitor: tens of milliseconds of computing. Truth: tills wait for the monitor of RuleSet because of
 * RuleCompiler.compile. Measured: compiling, printing and pricing within the tills' waiting.
 */
final class RulesCompiledUnderTheirMonitor {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class RuleCompiler {
        private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        private final Path folder;
        private int version;

        RuleCompiler(Path folder) {
            this.folder = folder;
        }

        IntUnaryOperator compile(String formula) throws Exception {
            String name = "Rule" + ++version;
            Path source = folder.resolve(name + ".java");
            Files.writeString(source, text(name, formula));
            try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
                compiler.getTask(null, files, null, List.of("-proc:none", "-d", folder.toString()), null,
                    files.getJavaFileObjects(source)).call();
            }
            try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
                return (IntUnaryOperator) loader.loadClass(name).getDeclaredConstructor().newInstance();
            } finally {
                Files.delete(source);
                Files.delete(folder.resolve(name + ".class"));
            }
        }

        private static String text(String name, String formula) {
            StringBuilder text = new StringBuilder("public class " + name
                + " implements java.util.function.IntUnaryOperator { public int applyAsInt(int x) { return f0(x); }");
            for (int i = 0; i < 12; i++) {
                text.append("int f").append(i).append("(int x) { return java.util.stream.IntStream.of(x, ").append(i)
                    .append(").map(y -> ").append(formula).append(").sum(); }\n");
            }
            return text.append('}').toString();
        }
    }

    static final class RuleSet {
        private final RuleCompiler compiler;
        private IntUnaryOperator rule = x -> x;

        RuleSet(RuleCompiler compiler) {
            this.compiler = compiler;
        }

        synchronized void replace(String formula) throws Exception {
            long from = System.nanoTime();
            rule = compiler.compile(formula);
            DIARY.held(0, from, System.nanoTime());
        }

        synchronized void print() {
            long from = System.nanoTime();
            Truth.sleep(0.012);
            DIARY.held(1, from, System.nanoTime());
        }

        int price(int cents) {
            long from = System.nanoTime();
            synchronized (this) {
                long got = System.nanoTime();
                DIARY.waited(from, got);
                int price = rule.applyAsInt(cents);
                DIARY.held(2, got, System.nanoTime());
                return price;
            }
        }
    }

    static void clear(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("rules");
        RuleSet rules = new RuleSet(new RuleCompiler(folder));
        rules.replace("y");
        for (int i = 1; i <= 7; i++) {
            int cents = 100 * i;
            Truth.repeat("till-" + i, () -> {
                rules.price(cents);
                Thread.sleep(6);
            });
        }
        Truth.repeat("printer", () -> {
            Thread.sleep(110);
            rules.print();
        });
        int[] turn = {0};
        Thread manager = Truth.repeat("manager", () -> {
            rules.replace("y * " + ++turn[0] % 90 + " / 100");
            Thread.sleep(400);
        });
        DIARY.fill(Truth.seconds(arguments));
        manager.interrupt();
        System.out.printf("printing %.3f pricing %.3f%n", DIARY.share(1), DIARY.share(2));
        Truth.of("new rules are compiled within the monitor of those in use").object("RuleSet")
            .culprit("RuleCompiler.compile", "RuleSet.replace").thread("manager").victims("till-*")
            .share(DIARY.share(0), "the tills' waiting for the rule set").say();
        manager.join(2000);
        clear(folder);
    }
}
