import java.util.List;
import java.util.function.IntSupplier;

/**
 * Six threads calculate freight. Each region's tariff is a constant of a class of its own, read from the
 * head office as soon as the first parcel goes there; the day's parcels go from region to region.
 *
 * Problem: TariffOffice.read (500 ms) runs in static initialisers, which everybody else has to wait for.
 * Truth: all wait for a class to be initialised. Measured: the part of the waiting during which somebody
 * was in read.
 */
final class TablesReadInInitialisers {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Boolean> READ = ThreadLocal.withInitial(() -> false);

    static final class TariffOffice {
        static int[] read(String region) {
            READ.set(true);
            long from = System.nanoTime();
            Truth.sleep(0.5);
            DIARY.held(0, from, System.nanoTime());
            return new int[] {region.length(), region.hashCode() % 50};
        }
    }

    static final class AlpsTariff {
        static final int[] CENTS = TariffOffice.read("alps");
    }

    static final class BayTariff {
        static final int[] CENTS = TariffOffice.read("bay");
    }

    static final class CoastTariff {
        static final int[] CENTS = TariffOffice.read("coast");
    }

    static final class DeltaTariff {
        static final int[] CENTS = TariffOffice.read("delta");
    }

    static final class EastTariff {
        static final int[] CENTS = TariffOffice.read("east");
    }

    static final class ForestTariff {
        static final int[] CENTS = TariffOffice.read("forest");
    }

    static final class GulfTariff {
        static final int[] CENTS = TariffOffice.read("gulf");
    }

    static final class HeathTariff {
        static final int[] CENTS = TariffOffice.read("heath");
    }

    static final class IslesTariff {
        static final int[] CENTS = TariffOffice.read("isles");
    }

    static final class LakesTariff {
        static final int[] CENTS = TariffOffice.read("lakes");
    }

    static final class MoorTariff {
        static final int[] CENTS = TariffOffice.read("moor");
    }

    static final class NorthTariff {
        static final int[] CENTS = TariffOffice.read("north");
    }

    static final class PortTariff {
        static final int[] CENTS = TariffOffice.read("port");
    }

    static final class RidgeTariff {
        static final int[] CENTS = TariffOffice.read("ridge");
    }

    static final class Freight {
        private static final List<IntSupplier> REGIONS = List.of(() -> AlpsTariff.CENTS[0],
            () -> BayTariff.CENTS[0], () -> CoastTariff.CENTS[0], () -> DeltaTariff.CENTS[0],
            () -> EastTariff.CENTS[0], () -> ForestTariff.CENTS[0], () -> GulfTariff.CENTS[0],
            () -> HeathTariff.CENTS[0], () -> IslesTariff.CENTS[0], () -> LakesTariff.CENTS[0],
            () -> MoorTariff.CENTS[0], () -> NorthTariff.CENTS[0], () -> PortTariff.CENTS[0],
            () -> RidgeTariff.CENTS[0]);
        private static final long BEGIN = System.nanoTime();

        void calculate() throws InterruptedException {
            Thread.sleep(5);
            long region = (System.nanoTime() - BEGIN) / 740_000_000;
            READ.set(false);
            long from = System.nanoTime();
            REGIONS.get((int) Math.min(region, REGIONS.size() - 1)).getAsInt();
            if (!READ.get()) {
                DIARY.waited(from, System.nanoTime());
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("freight-" + i, new Freight()::calculate);
        }
        Truth.sleep(seconds);
        Truth.of("static initialisers ask the head office")
            .object("AlpsTariff", "BayTariff", "CoastTariff", "DeltaTariff", "EastTariff", "ForestTariff",
                "GulfTariff", "HeathTariff", "IslesTariff", "LakesTariff", "MoorTariff", "NorthTariff",
                "PortTariff", "RidgeTariff")
            .culprit("TariffOffice.read").thread("freight-*").victims("freight-*")
            .share(DIARY.share(0), "the waiting for classes").say();
    }
}
