import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;

/**
 * Three probes, each with two threads that swap buffers: one samples, the other archives what was sampled.
 *
 * Problem: a full buffer takes 12 ms to sample and 45 ms to pack, so that the sampler waits for its partner for
 * most of its time, and samples are lost. Truth: samplers wait for an Exchanger because of Archive.pack. Measured:
 * the part of a sampler's waiting during which its partner packs.
 */
final class ArchiverHoldsBackSampler {
    static final class Archive {
        private final Truth.Diary diary;
        private int packed;

        Archive(Truth.Diary diary) {
            this.diary = diary;
        }

        void pack(List<Integer> samples) {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            packed += samples.size();
            diary.held(0, from, System.nanoTime());
        }
    }

    static final class Probe {
        private final Truth.Diary diary = new Truth.Diary();
        private final Exchanger<List<Integer>> swap = new Exchanger<>();
        private final Archive archive = new Archive(diary);
        private List<Integer> filling = new ArrayList<>(), emptying = new ArrayList<>();

        void sample() throws InterruptedException {
            for (int i = 0; i < 4; i++) {
                Thread.sleep(3);
                filling.add(i);
            }
            long from = System.nanoTime();
            filling = swap.exchange(filling);
            diary.waited(from, System.nanoTime());
        }

        void store() throws InterruptedException {
            emptying = swap.exchange(emptying);
            archive.pack(emptying);
            emptying.clear();
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Probe> probes = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Probe probe = new Probe();
            probes.add(probe);
            Truth.repeat("sampler-" + i, probe::sample);
            Truth.repeat("archiver-" + i, probe::store);
        }
        Truth.sleep(seconds);
        double waited = 0, packing = 0;
        for (Probe probe : probes) {
            waited += probe.diary.waitedSeconds();
            packing += probe.diary.waitedSeconds() * probe.diary.share(0);
        }
        System.out.printf("waited %.2f s in all%n", waited);
        Truth.of("who empties a buffer is slower than who fills it").object("Exchanger", "Node")
            .culprit("Archive.pack").thread("archiver-*").victims("sampler-*")
            .share(packing / waited, "the samplers' waiting for their partners").say();
    }
}
