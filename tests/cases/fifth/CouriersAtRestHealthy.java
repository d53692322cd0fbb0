import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * Six couriers wait at a home-made board, by wait and notify, for parcels, of which there is one each
 * 100 to 300 ms; each takes 20 ms to bring.
 *
 * Problem: none; there is little to bring. Truth: healthy. Measured: nothing.
 */
final class CouriersAtRestHealthy {
    static final class Board {
        private final Deque<String> parcels = new ArrayDeque<>();

        synchronized String next() throws InterruptedException {
            while (parcels.isEmpty()) {
                wait();
            }
            return parcels.poll();
        }

        synchronized void post(String parcel) {
            parcels.add(parcel);
            notify();
        }
    }

    public static void main(String[] arguments) {
        Board board = new Board();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("courier-" + i, () -> {
                board.next();
                Thread.sleep(20);
            });
        }
        Random random = new Random(5);
        Truth.repeat("front-desk", () -> {
            Thread.sleep(100 + random.nextInt(200));
            board.post("parcel");
        });
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("couriers wait for parcels").object().culprit().thread().victims().noShare().say();
    }
}
