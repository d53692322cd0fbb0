import org.harbour.loop.EventLoop;
import org.harbour.port.Harbour;

/**
 * A harbour's office has one event loop, made at home: posted work, timers, a lock and a condition.
 * Seven ships ask for a berth, which the loop finds in 0.3 ms, and wait for a promise, also made at
 * home of park and unpark. Pilots post where they are.
 *
 * Problem: a timer computes the tides on the loop, TideTable.extrapolate, 16 ms of a processor after
 * each 30 ms. Truth: ships wait for their Promise because of TideTable.extrapolate. Measured: the part
 * of the waiting for berths during which the loop computes tides.
 */
final class MooringsPromisedByTheLoop {
    static final Truth.Diary DIARY = new Truth.Diary();

    public static void main(String[] arguments) {
        EventLoop loop = new EventLoop();
        Truth.start("harbour-loop", loop);
        Harbour harbour = new Harbour(loop, DIARY::held);
        int[] position = new int[2];
        for (int i = 1; i <= 2; i++) {
            int pilot = i - 1;
            Truth.repeat("pilot-" + i, () -> {
                loop.post(() -> position[pilot]++);
                Thread.sleep(25);
            });
        }
        for (int i = 1; i <= 7; i++) {
            int ship = i;
            DIARY.clients("ship-" + i, 1, 5 + i, () -> harbour.moor(ship));
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a timer computes the tides on the only loop").object("Promise").culprit("TideTable.extrapolate")
            .thread("harbour-loop").victims("ship-*-*").share(DIARY.share(0), "the ships' waiting for berths").say();
    }
}
