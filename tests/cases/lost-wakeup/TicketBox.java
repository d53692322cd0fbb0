import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tickets come in from outside, some ten a second, half by a box under a monitor, half by one
 * with a lock and a condition. Four agents per box wait in a loop that looks first, so no wake-up
 * is lost and a spurious one does no harm. They rest most of the time as there is not much to do.
 *
 * Problem: none. Truth: healthy. Measured: nothing.
 */
final class TicketBox {
    interface Box {
        void put(String ticket);

        String take() throws InterruptedException;
    }

    public static void main(String[] arguments) {
        Box phone = new MonitorBox(), web = new LockBox();
        Thread outside = new Thread(() -> arrive(new Random(2), phone, web), "arrivals");
        outside.setDaemon(true);
        outside.start();
        for (int i = 1; i <= 8; i++) {
            Thread agent = new Thread(new Agent(i % 2 == 0 ? phone : web), "agent-" + i);
            agent.setDaemon(true);
            agent.start();
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.healthy("agents wait for tickets from outside, which are few, and are woken as soon "
            + "as one is there")
            .object().culprit().thread().victims().noShare().say();
    }

    private static void arrive(Random random, Box... boxes) {
        for (int number = 0; true; number++) {
            Truth.sleep(0.2 * random.nextDouble());
            boxes[random.nextInt(boxes.length)].put("ticket " + number);
        }
    }

    private static final class MonitorBox implements Box {
        private final Deque<String> tickets = new ArrayDeque<>();

        @Override
        public synchronized void put(String ticket) {
            tickets.add(ticket);
            notify();
        }

        @Override
        public synchronized String take() throws InterruptedException {
            while (tickets.isEmpty()) {
                wait();
            }
            return tickets.remove();
        }
    }

    private static final class LockBox implements Box {
        private final Deque<String> tickets = new ArrayDeque<>();
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition filled = lock.newCondition();

        @Override
        public void put(String ticket) {
            lock.lock();
            try {
                tickets.add(ticket);
                filled.signal();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public String take() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (tickets.isEmpty()) {
                    filled.await();
                }
                return tickets.remove();
            } finally {
                lock.unlock();
            }
        }
    }

    private record Agent(Box box) implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    solve(box.take());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void solve(String ticket) throws InterruptedException {
            Thread.sleep(10 + ticket.length());
        }
    }
}
