import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Four handsets, kept in a LinkedBlockingQueue, are lent by a desk whose methods are synchronized; three guides take
 * one for 6 ms each.
 *
 * Problem: after two fifths of the time two guides more come. Whoever finds no handset left waits for one with the
 * desk's monitor, HandsetDesk.checkOut, so that nobody can bring one back. Truth: stuck; guides wait for the monitor of
 * HandsetDesk, because of HandsetDesk.checkOut.
 */
final class CheckOutHoldsTheDesk {
    record Handset(int number) {
    }

    static final class HandsetDesk {
        private final BlockingQueue<Handset> shelf = new LinkedBlockingQueue<>();
        private int lent;

        HandsetDesk(int count) {
            for (int i = 1; i <= count; i++) {
                shelf.add(new Handset(i));
            }
        }

        synchronized Handset checkOut() throws InterruptedException {
            Handset handset = shelf.take();
            lent++;
            return handset;
        }

        synchronized void checkIn(Handset handset) {
            lent--;
            shelf.add(handset);
        }
    }

    static final class Guide implements Truth.Step {
        private final HandsetDesk desk;

        Guide(HandsetDesk desk) {
            this.desk = desk;
        }

        @Override
        public void run() throws Exception {
            Handset handset = desk.checkOut();
            Thread.sleep(6);
            desk.checkIn(handset);
            Thread.sleep(2);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        HandsetDesk desk = new HandsetDesk(4);
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            all.add(Truth.repeat("guide-" + i, new Guide(desk)));
        }
        Truth.repeat("tour-list", () -> Thread.sleep(130));
        Truth.sayAndHalt(Truth.stuck("who waits for a handset keeps others from bringing one back")
            .object("HandsetDesk", "ConditionObject", "LinkedBlockingQueue").culprit("HandsetDesk.checkOut")
            .thread("guide-*").victims("guide-*").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        all.add(Truth.repeat("guide-4", new Guide(desk)));
        all.add(Truth.repeat("guide-5", new Guide(desk)));
        Truth.hangsOnce(all);
        Truth.sleep(seconds + 2);
    }
}
