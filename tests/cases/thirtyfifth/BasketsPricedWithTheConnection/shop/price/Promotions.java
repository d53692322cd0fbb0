package shop.price;

import java.util.HashMap;
import java.util.Map;

/** Rebates by the number of items, built anew again and again from rules that are kept elsewhere. */
final class Promotions {
    private Map<Integer, Long> rebates = new HashMap<>();

    void rebuild() {
        Map<Integer, Long> built = new HashMap<>();
        for (int rule = 0; rule < 8; rule++) {
            built.put(rule, read(rule));
        }
        rebates = built;
    }

    private static long read(int rule) {
        try {
            Thread.sleep(2);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
        return rule * 3L;
    }

    long rebate(int items) {
        return rebates.getOrDefault(items % 8, 0L);
    }
}
