import java.util.concurrent.Exchanger;

/**
 * A picker fills a box and exchanges it for an empty one with the packer, who needs 30 ms for each; the
 * picker needs 4 ms. There are two such pairs.
 *
 * Problem: Packer.pack is the slower side. Truth: pickers wait at the exchanger. Measured: nothing else.
 */
final class PackerSlowerThanPicker {
    static final class Picker {
        static void fill(Exchanger<int[]> place, int[] box) throws InterruptedException {
            Thread.sleep(4);
            place.exchange(box);
        }
    }

    static final class Packer {
        static void pack(int[] box) throws InterruptedException {
            Thread.sleep(30);
            box[0] = 0;
        }
    }

    public static void main(String[] arguments) {
        for (int i = 1; i <= 2; i++) {
            Exchanger<int[]> place = new Exchanger<>();
            int[] empty = new int[8], full = new int[8];
            Truth.repeat("picker-" + i, () -> Picker.fill(place, full));
            Truth.repeat("packer-" + i, () -> Packer.pack(place.exchange(empty)));
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("packing takes longer than picking").object("Exchanger", "Node")
            .culprit("Packer.pack").thread("packer-*").victims("picker-*").noShare().say();
    }
}
