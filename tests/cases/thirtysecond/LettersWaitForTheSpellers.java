import java.util.Random;
import java.util.zip.Adler32;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * Fourteen letters at a time, virtual threads where the JDK has them, are spelled with one of three spellers of a
 * Commons Pool.
 *
 * NEEDS: libcommons-pool2-java (commons-pool2.jar)
 *
 * Problem: each letter is split (Speller.split, 2 ms) and its words looked up (Speller.lookUp, 1 ms); one letter of
 * four has words that are not known, for which neighbours are sought, Speller.suggest, 24 ms. Truth: letters wait
 * for the pool (LinkedBlockingDeque) because of Speller.suggest. Measured: the part of the waiting for a speller
 * during which neighbours are sought, evenly shared with the other two.
 */
final class LettersWaitForTheSpellers {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Speller {
        private final byte[] words = new byte[32 * 1024];

        int spell(boolean known) {
            long from = System.nanoTime();
            split();
            long then = System.nanoTime();
            DIARY.held(1, from, then);
            lookUp();
            from = System.nanoTime();
            DIARY.held(2, then, from);
            int found = known ? 0 : suggest();
            DIARY.held(0, from, System.nanoTime());
            return found;
        }

        private void split() {
            Truth.sleep(0.002);
        }

        private void lookUp() {
            Truth.sleep(0.001);
        }

        private int suggest() {
            Adler32 best = new Adler32();
            for (int i = 0; i < 12; i++) {
                best.update(words);
                Truth.sleep(0.002);
            }
            return (int) best.getValue();
        }
    }

    static final class Spellers extends BasePooledObjectFactory<Speller> {
        @Override
        public Speller create() {
            return new Speller();
        }

        @Override
        public PooledObject<Speller> wrap(Speller speller) {
            return new DefaultPooledObject<>(speller);
        }
    }

    static void write(GenericObjectPool<Speller> pool, Random random) {
        try {
            while (true) {
                long from = System.nanoTime();
                Speller speller = pool.borrowObject();
                DIARY.waited(from, System.nanoTime());
                try {
                    speller.spell(random.nextInt(4) != 0);
                } finally {
                    pool.returnObject(speller);
                }
                Thread.sleep(15);
            }
        } catch (Exception exception) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        GenericObjectPoolConfig<Speller> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(3);
        config.setMaxIdle(3);
        config.setJmxEnabled(false);
        GenericObjectPool<Speller> pool = new GenericObjectPool<>(new Spellers(), config);
        for (int i = 1; i <= 14; i++) {
            Random random = new Random(i);
            Truth.virtual("letter-" + i, () -> write(pool, random));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("neighbours of unknown words are sought with a speller in hand")
            .object("LinkedBlockingDeque", "ConditionObject", "GenericObjectPool").culprit("Speller.suggest")
            .thread("letter-*").victims("letter-*").share(DIARY.share(0), "the waiting for a speller").say();
        Runtime.getRuntime().halt(0);
    }
}
