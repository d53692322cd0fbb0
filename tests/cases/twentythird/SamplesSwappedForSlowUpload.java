import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;

/**
 * Three probes fill a buffer each (8 ms) and swap it for an empty one with an uploader of their own, by an Exchanger.
 *
 * Problem: an upload takes 45 ms, so that every probe stands still with a full buffer. Truth: probes wait in the
 * Exchanger because of Archive.upload. Measured: uploads within the probes' waiting.
 */
final class SamplesSwappedForSlowUpload {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Archive() {
        void upload(List<Integer> samples) {
            long from = System.nanoTime();
            Truth.sleep(0.045);
            DIARY.held(0, from, System.nanoTime());
            samples.clear();
        }
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 3; i++) {
            Exchanger<List<Integer>> swap = new Exchanger<>();
            List<List<Integer>> own = List.of(new ArrayList<>(), new ArrayList<>());
            List<List<Integer>> filling = new ArrayList<>(own.subList(0, 1)), sending = new ArrayList<>(own.subList(1, 2));
            Truth.repeat("probe-" + i, () -> {
                for (int sample = 0; sample < 40; sample++) {
                    filling.get(0).add(sample);
                }
                Truth.sleep(0.008);
                long from = System.nanoTime();
                filling.set(0, swap.exchange(filling.get(0)));
                DIARY.waited(from, System.nanoTime());
            });
            Truth.repeat("uploader-" + i, () -> {
                sending.set(0, swap.exchange(sending.get(0)));
                new Archive().upload(sending.get(0));
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("buffers are not swapped before a slow upload is over").object("Exchanger", "Node")
            .culprit("Archive.upload").thread("uploader-*").victims("probe-*")
            .share(DIARY.share(0), "the probes' waiting to swap").say();
    }
}
