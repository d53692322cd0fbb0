import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bakery has two ovens and two mixers, as permits of two semaphores; six bakers are virtual threads where the JDK has
 * them. Apprentices need an oven only.
 *
 * Problem: from the third second on there are cream bakers, who take a mixer and then an oven; those of cakes take an
 * oven and then a mixer. Once two of each have their first, nobody gets a second. Truth: bakers and apprentices hang for
 * want of permits because of Bakery.bakeCake and Bakery.bakeCream.
 */
final class CakesNeedOvenAndMixer {
    static final class Bakery {
        private final Semaphore ovens = new Semaphore(2), mixers = new Semaphore(2);
        final AtomicInteger baked = new AtomicInteger();

        void bakeCake() throws InterruptedException {
            ovens.acquire();
            Thread.sleep(3);
            mixers.acquire();
            finish();
        }

        void bakeCream() throws InterruptedException {
            mixers.acquire();
            Thread.sleep(3);
            ovens.acquire();
            finish();
        }

        void bakeBread() throws InterruptedException {
            ovens.acquire();
            baked.incrementAndGet();
            ovens.release();
            Thread.sleep(15);
        }

        private void finish() throws InterruptedException {
            baked.incrementAndGet();
            mixers.release();
            ovens.release();
            Thread.sleep(1);
        }
    }

    static void start(String name, double afterSeconds, Truth.Step step) {
        Truth.virtual(name, () -> {
            Truth.sleep(afterSeconds);
            try {
                while (true) {
                    step.run();
                }
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        });
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Bakery bakery = new Bakery();
        for (int i = 1; i <= 2; i++) {
            start("cake-" + i, 0.1, bakery::bakeCake);
            start("cream-" + i, 2, bakery::bakeCream);
            start("apprentice-" + i, 0.1, bakery::bakeBread);
        }
        Thread observer = new Thread(() -> {
            int before = -1;
            while (before != bakery.baked.get()) {
                before = bakery.baked.get();
                Truth.sleep(0.7);
            }
            Truth.hangs();
        }, "observer");
        observer.setDaemon(true);
        observer.start();
        Truth.sayAndHalt(Truth.stuck("two kinds of bakers take ovens and mixers in opposite order").object("Semaphore")
            .culprit("Bakery.bakeCake", "Bakery.bakeCream").thread("cake-*", "cream-*")
            .victims("cake-*", "cream-*", "apprentice-*").noShare(), seconds);
        Truth.sleep(seconds + 5);
    }
}
