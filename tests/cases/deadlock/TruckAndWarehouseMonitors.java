import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Trucks and a warehouse, each guarded by its own monitor. Loading locks the truck, then the
 * warehouse; stock-taking locks the warehouse, then the trucks. Shop threads ask the warehouse
 * for its stock.
 *
 * Problem: LoadingRamp.load and StockTaking.count take the two monitors in opposite order. Within
 * two seconds or so one of each holds what the other wants, forever; then the shop hangs, too.
 *
 * Truth: a deadlock, the two monitors, the two methods. Nothing to measure.
 */
class TruckAndWarehouseMonitors {
    public static void main(String[] args) {
        Warehouse warehouse = new Warehouse();
        Truck truck = new Truck();
        List<Thread> all = new ArrayList<>();
        all.add(new Thread(new LoadingRamp(truck, warehouse), "ramp-1"));
        all.add(new Thread(new StockTaking(truck, warehouse), "stock-taking-1"));
        for (int i = 1; i <= 6; i++) {
            Random random = new Random(i);
            all.add(new Thread(() -> {
                while (true) {
                    warehouse.stock(random.nextInt(50));
                    Truth.sleep((5 + random.nextInt(20)) / 1e3);
                }
            }, "shop-" + i));
        }
        Truth.sayAndHalt(Truth.stuck("deadlock: LoadingRamp.load holds a truck and waits for the "
                + "warehouse, StockTaking.count holds the warehouse and waits for the truck; the "
                + "shop hangs")
            .object("Warehouse", "Truck")
            .culprit("LoadingRamp.load", "StockTaking.count", "Warehouse.takeOut",
                "Truck.countLoad")
            .thread("ramp-*", "stock-taking-*")
            .victims("shop-*", "ramp-*", "stock-taking-*")
            .noShare(), Truth.seconds(args));
        all.forEach(Thread::start);
        Truth.hangsOnce(all);
    }
}

class Truck {
    private int load;

    synchronized int countLoad() {
        return load;
    }

    void add(int count) {
        load += count;
    }
}

class Warehouse {
    private final int[] stock = new int[50];

    synchronized int stock(int article) {
        return stock[article];
    }

    synchronized int takeOut(int article, int count) {
        Truth.sleep(0.002);
        stock[article] -= count;
        return count;
    }

    int sum() {
        int sum = 0;
        for (int each : stock) {
            sum += each;
        }
        return sum;
    }
}

class LoadingRamp implements Runnable {
    private final Truck truck;
    private final Warehouse warehouse;
    private final Random random = new Random(31);

    LoadingRamp(Truck truck, Warehouse warehouse) {
        this.truck = truck;
        this.warehouse = warehouse;
    }

    @Override
    public void run() {
        while (true) {
            load(random.nextInt(50));
            Truth.sleep((20 + random.nextInt(60)) / 1e3);
        }
    }

    private void load(int article) {
        synchronized (truck) {
            Truth.sleep(0.002); // the ramp moves
            truck.add(warehouse.takeOut(article, 1));
        }
    }
}

class StockTaking implements Runnable {
    private final Truck truck;
    private final Warehouse warehouse;
    private int last;

    StockTaking(Truck truck, Warehouse warehouse) {
        this.truck = truck;
        this.warehouse = warehouse;
    }

    @Override
    public void run() {
        Truth.sleep(1); // the first one is due later than the first load
        while (true) {
            last = count();
            Truth.sleep(0.04 + last % 10 / 1e3);
        }
    }

    private int count() {
        synchronized (warehouse) {
            int sum = warehouse.sum();
            Truth.sleep(0.003);
            return sum + truck.countLoad();
        }
    }
}
