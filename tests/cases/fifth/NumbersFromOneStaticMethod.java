import java.util.Random;

/**
 * A static synchronized method gives out numbers, and after each hundredth saves how far it has come to
 * a file, which takes 30 ms.
 *
 * Problem: NumberRange.save writes while the class is locked. Truth: all wait for numbers meanwhile.
 * Measured: nothing but that.
 */
final class NumbersFromOneStaticMethod {
    static final class NumberRange {
        private static long last;

        static synchronized long next() {
            if (++last % 100 == 0) {
                save();
            }
            return last;
        }

        private static void save() {
            try {
                java.nio.file.Path file = java.nio.file.Files.createTempFile("numbers", ".txt");
                long until = System.nanoTime() + 30_000_000;
                while (System.nanoTime() < until) {
                    try (java.nio.channels.FileChannel channel = java.nio.channels.FileChannel.open(file,
                            java.nio.file.StandardOpenOption.WRITE)) {
                        channel.write(java.nio.ByteBuffer.wrap(new byte[4096]));
                        channel.force(true);
                    }
                }
                java.nio.file.Files.delete(file);
            } catch (java.io.IOException exception) {
                throw new java.io.UncheckedIOException(exception);
            }
        }
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.repeat("invoice-" + i, () -> {
                NumberRange.next();
                Truth.sleep(0.001 + random.nextDouble() * 0.003);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("numbers are saved to a file with the class locked")
            .object("Class").culprit("NumberRange.save", "NumberRange.next").thread("invoice-*")
            .victims("invoice-*").noShare().say();
    }
}
