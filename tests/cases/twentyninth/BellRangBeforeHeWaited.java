import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Porters ask a lift for a ride and await a CompletableFuture. For each ride the lift asks its motor for power, and
 * waits for the motor's bell, by Object.wait, without a loop or a condition.
 *
 * Problem: the motor needs 20 ms at first, and the lift 5 ms to close its doors before it waits; after two fifths of
 * the time the motor is faster than the doors, and rings before anybody waits: Lift.ride waits for ever. Truth: stuck;
 * porters wait for their CompletableFuture, the lift for the Bell.
 */
final class BellRangBeforeHeWaited {
    static volatile double needed = 0.02;

    static final class Bell {
        synchronized void await() throws InterruptedException {
            wait();
        }

        synchronized void ring() {
            notifyAll();
        }
    }

    record Lift(BlockingQueue<CompletableFuture<Integer>> calls, BlockingQueue<Bell> motor) implements Truth.Step {
        private void ride() throws InterruptedException {
            Bell bell = new Bell();
            motor.put(bell);
            Truth.sleep(0.005);
            bell.await();
        }

        @Override
        public void run() throws InterruptedException {
            CompletableFuture<Integer> call = calls.take();
            ride();
            call.complete(1);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        BlockingQueue<CompletableFuture<Integer>> calls = new LinkedBlockingQueue<>();
        BlockingQueue<Bell> motor = new LinkedBlockingQueue<>();
        List<Thread> all = new ArrayList<>();
        all.add(Truth.repeat("lift", new Lift(calls, motor)));
        all.add(Truth.repeat("motor", () -> {
            Bell bell = motor.take();
            Truth.sleep(needed);
            bell.ring();
        }));
        for (int i = 1; i <= 3; i++) {
            all.add(Truth.repeat("porter-" + i, () -> {
                CompletableFuture<Integer> call = new CompletableFuture<>();
                calls.put(call);
                call.join();
                Thread.sleep(30);
            }));
        }
        Truth.repeat("lobby", () -> Truth.sleep(0.12));
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("a bell rings before anybody waits for it")
            .object("CompletableFuture", "Signaller", "Bell").culprit("Lift.ride", "Bell.await").thread("lift")
            .victims("porter-*", "lift").noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        needed = 0;
        Truth.sleep(seconds + 2);
    }
}
