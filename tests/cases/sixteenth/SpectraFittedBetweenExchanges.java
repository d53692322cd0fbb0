import java.util.concurrent.Exchanger;

/**
 * Four probes, each with an analyst, all virtual threads where the JDK has them: the probe fills a buffer in 4 ms and
 * exchanges it with the analyst for an empty one.
 *
 * Problem: the analyst fits a spectrum to each buffer, for 30 ms, before it comes to exchange the next. Truth: probes
 * wait for the Exchanger because of Spectrum.fit. Measured: when the analyst fits, within the probe's exchanges.
 */
final class SpectraFittedBetweenExchanges {
    static final class Spectrum {
        private double peak;

        void fit(double[] samples) {
            Truth.sleep(0.03);
            peak = Math.max(peak, samples[0]);
        }
    }

    static final class Channel {
        final Truth.Diary diary = new Truth.Diary();
        private final Exchanger<double[]> exchanger = new Exchanger<>();
        private final Spectrum spectrum = new Spectrum();

        void probe() {
            double[] buffer = new double[64];
            try {
                while (true) {
                    Truth.sleep(0.004);
                    buffer[0]++;
                    long from = System.nanoTime();
                    buffer = exchanger.exchange(buffer);
                    diary.waited(from, System.nanoTime());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        void analyse() {
            double[] buffer = new double[64];
            try {
                while (true) {
                    buffer = exchanger.exchange(buffer);
                    long from = System.nanoTime();
                    spectrum.fit(buffer);
                    diary.held(0, from, System.nanoTime());
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Channel[] channels = new Channel[4];
        for (int i = 0; i < channels.length; i++) {
            Channel channel = channels[i] = new Channel();
            Truth.virtual("probe-" + (i + 1), channel::probe);
            Truth.virtual("analyst-" + (i + 1), channel::analyse);
        }
        Truth.sleep(seconds);
        double waited = 0, fitted = 0;
        for (Channel channel : channels) {
            double its = channel.diary.waitedSeconds();
            waited += its;
            fitted += channel.diary.share(0) * its;
        }
        System.out.printf("waited %.2f s in all%n", waited);
        Truth.of("a spectrum is fitted before the next buffer is taken").object("Exchanger").culprit("Spectrum.fit")
            .thread("analyst-*").victims("probe-*").share(fitted / waited, "the probes' exchanges").say();
        System.exit(0);
    }
}
