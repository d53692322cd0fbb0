/**
 * A tariff's constants include the standard rebate, and the rebate's include the base tariff. Two
 * threads of a start-up use one each for the first time, and four quote threads come after them.
 *
 * Problem: the initialisers of Tariff and Rebate need each other. Truth: stuck; all wait for the
 * initialisation of a class. Measured: no share; it hangs from the first half second on.
 */
final class TariffClassesNeedEachOther {
    static final class Tariff {
        static final int BASE = base();

        static int base() {
            Truth.sleep(0.2);
            return 100 - Rebate.STANDARD;
        }

        static int quote() {
            return BASE;
        }
    }

    static final class Rebate {
        static final int STANDARD = standard();

        static int standard() {
            Truth.sleep(0.2);
            return Tariff.BASE / 10;
        }
    }

    public static void main(String[] arguments) {
        Truth.sleep(0.2);
        Truth.repeat("tariff-loader", () -> System.getProperty("t" + Tariff.BASE));
        Truth.repeat("rebate-loader", () -> System.getProperty("r" + Rebate.STANDARD));
        for (int i = 1; i <= 4; i++) {
            Truth.repeat("quote-" + i, () -> {
                Truth.sleep(0.3);
                Tariff.quote();
            });
        }
        Truth.sayAndHalt(Truth.stuck("two classes' initialisers need each other")
            .object("Tariff", "Rebate", "Class")
            .culprit("Tariff.<clinit>", "Rebate.<clinit>", "Tariff.base", "Rebate.standard")
            .thread("tariff-loader", "rebate-loader")
            .victims("quote-*", "tariff-loader", "rebate-loader").noShare(),
            Truth.seconds(arguments));
        Truth.sleep(1);
        Truth.hangs();
        Truth.sleep(Truth.seconds(arguments));
    }
}
