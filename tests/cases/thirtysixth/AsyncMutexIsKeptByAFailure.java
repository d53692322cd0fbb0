import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A theatre books without a lock that blocks: an AsyncMutex answers a future that is complete once it
 * is one's turn, and is released when the booking is. Booking desks join the result.
 *
 * Problem: SeatService.book releases the mutex in thenAccept, which does not run if the booking fails.
 * It fails once, after two fifths of the time, and everybody after that waits for a turn that never
 * comes. Truth: stuck; desks wait for a CompletableFuture because of SeatService.book.
 */
final class AsyncMutexIsKeptByAFailure {
    static volatile boolean cardRefused;

    static final class AsyncMutex {
        private final Queue<CompletableFuture<Void>> waiting = new ArrayDeque<>();
        private boolean taken;

        synchronized CompletableFuture<Void> acquire() {
            CompletableFuture<Void> turn = new CompletableFuture<>();
            if (taken) {
                waiting.add(turn);
            } else {
                taken = true;
                turn.complete(null);
            }
            return turn;
        }

        void release() {
            CompletableFuture<Void> next;
            synchronized (this) {
                next = waiting.poll();
                taken = next != null;
            }
            if (next != null) {
                next.complete(null);
            }
        }
    }

    static final class SeatService {
        private final AsyncMutex mutex = new AsyncMutex();
        private final ExecutorService io = Executors.newFixedThreadPool(2, work -> Truth.daemon("seat-io", work));
        private int booked;

        CompletableFuture<Integer> book(int seats) {
            CompletableFuture<Integer> booking = mutex.acquire().thenApplyAsync(turn -> charge(seats), io);
            booking.thenAccept(done -> mutex.release());
            return booking;
        }

        private int charge(int seats) {
            Truth.sleep(0.002);
            if (cardRefused) {
                cardRefused = false;
                throw new IllegalArgumentException("card refused");
            }
            booked += seats;
            return booked;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        SeatService service = new SeatService();
        List<Thread> all = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int seats = i;
            all.add(Truth.repeat("desk-" + i, () -> {
                try {
                    service.book(seats).join();
                } catch (java.util.concurrent.CompletionException refused) {
                    Thread.sleep(30);
                }
                Thread.sleep(15);
            }));
        }
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("a booking that failed never released its mutex")
            .object("CompletableFuture", "Signaller").culprit("SeatService.book").thread("desk-*").victims("desk-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        cardRefused = true;
        Truth.sleep(seconds + 2);
    }
}
