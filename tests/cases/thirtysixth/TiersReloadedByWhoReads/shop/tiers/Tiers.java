package shop.tiers;

import shop.cache.ReadThrough;

/** What customers pay less. */
public final class Tiers {
    private final ReadThrough<String, Integer> cache;

    public Tiers(ReadThrough<String, Integer> cache) {
        this.cache = cache;
    }

    public double discount(String tier) {
        return cache.get(tier) * 0.02;
    }
}
