import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * ZooKeeperLoad ADDRESS CLIENTS SECONDS: clients, each a thread with a session of its own, that write
 * their node once and read it four times, over and over; then all close their sessions.
 */
class ZooKeeperLoad {
    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        long end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000_000L;
        LongAdder rounds = new LongAdder();
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = new Thread(() -> work(arguments[0], end, rounds), "client-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long late = (System.nanoTime() - end) / 1_000_000;
        System.out.println(rounds + " rounds; all were closed after " + late + " ms");
    }

    static void work(String address, long end, LongAdder rounds) {
        try {
            CountDownLatch connected = new CountDownLatch(1);
            ZooKeeper keeper = new ZooKeeper(address, 20_000, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            connected.await();
            byte[] data = new byte[100];
            String path =
                    keeper.create("/load-", data, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
            while (System.nanoTime() < end) {
                keeper.setData(path, data, -1);
                for (int i = 0; i < 4; i++) {
                    keeper.getData(path, false, null);
                }
                rounds.increment();
            }
            keeper.close();
        } catch (Exception exception) {
            exception.printStackTrace();
        }
    }
}
