import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/**
 * Two desks estimate houses, each by a ForkJoinPool of three: an estimate forks a task for each of six rooms, 3 ms
 * each, and joins them.
 *
 * Problem: one room of each house has a painting, which is appraised by a call: Appraisal.ask, 55 ms. Truth: desks
 * wait for the estimate because of Appraisal.ask. Measured: asking and measuring in a desk's pool, within its waiting,
 * evenly divided.
 */
final class EstimateJoinsTheAppraisal {
    static final Truth.Diary[] DIARIES = {new Truth.Diary(), new Truth.Diary()};

    record Appraisal(int desk) {
        int ask() {
            long from = System.nanoTime();
            Truth.sleep(0.055);
            DIARIES[desk].held(0, from, System.nanoTime());
            return 900;
        }
    }

    static final class Room extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int desk, number;

        Room(int desk, int number) {
            this.desk = desk;
            this.number = number;
        }

        @Override
        protected Integer compute() {
            if (number == 2) {
                return new Appraisal(desk).ask();
            }
            long from = System.nanoTime();
            Truth.sleep(0.003);
            DIARIES[desk].held(1, from, System.nanoTime());
            return 100;
        }
    }

    static final class Estimate extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final int desk;

        Estimate(int desk) {
            this.desk = desk;
        }

        @Override
        protected Integer compute() {
            Room[] rooms = new Room[6];
            for (int i = 0; i < rooms.length; i++) {
                rooms[i] = new Room(desk, i);
                rooms[i].fork();
            }
            int sum = 0;
            for (Room room : rooms) {
                sum += room.join();
            }
            return sum;
        }
    }

    record Desk(int number, ForkJoinPool pool, long[] sum) implements Truth.Step {
        private void estimate() {
            long from = System.nanoTime();
            sum[0] += pool.invoke(new Estimate(number));
            DIARIES[number].waited(from, System.nanoTime());
        }

        @Override
        public void run() throws InterruptedException {
            estimate();
            Thread.sleep(10);
        }
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 2; i++) {
            Truth.repeat("desk-" + i, new Desk(i, new ForkJoinPool(3), new long[1]));
        }
        Truth.sleep(Truth.seconds(arguments));
        double sum = 0, whole = 0;
        for (Truth.Diary diary : DIARIES) {
            sum += diary.share(0) * diary.waitedSeconds();
            whole += diary.waitedSeconds();
        }
        System.out.printf("waited %.2f s in all%n", whole);
        Truth.of("one of six forks is slow").object("Estimate", "Room", "RecursiveTask", "ForkJoinTask")
            .culprit("Appraisal.ask").thread("ForkJoinPool-*-worker-*").victims("desk-*")
            .share(sum / whole, "the desks' waiting for their estimates").say();
    }
}
