import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.Writer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Three sensors write a line into a pipe of their own whenever they have measured, every 40 to 400 ms, and flush it; a
 * reader for each counts the lines.
 *
 * Problem: none: readers wait as nothing has been measured. Truth: healthy. Measured: how many lines have been read.
 */
final class LinesThroughPipesHealthy {
    static final AtomicLong LINES = new AtomicLong();

    static final class Sensor {
        private final Writer pipe;
        private final long pause;
        private int value;

        Sensor(PipedOutputStream pipe, long pause) {
            this.pipe = new OutputStreamWriter(pipe);
            this.pause = pause;
        }

        void measure() throws IOException, InterruptedException {
            Thread.sleep(pause);
            value++;
            pipe.write("measured " + value + "\n");
            pipe.flush();
        }
    }

    static final class Reader {
        private final BufferedReader lines;

        Reader(PipedInputStream pipe) {
            lines = new BufferedReader(new InputStreamReader(pipe));
        }

        void readLine() throws IOException {
            if (lines.readLine() != null) {
                LINES.incrementAndGet();
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        long[] pauses = {40, 150, 400};
        for (int i = 0; i < pauses.length; i++) {
            PipedInputStream pipe = new PipedInputStream();
            Truth.repeat("sensor-" + (i + 1), new Sensor(new PipedOutputStream(pipe), pauses[i])::measure);
            Truth.repeat("reader-" + (i + 1), new Reader(pipe)::readLine);
        }
        Truth.sleep(seconds);
        System.out.printf("%d lines read%n", LINES.get());
        Truth.healthy("readers wait for what has not been measured yet").object().culprit().thread().victims().noShare()
            .say();
        System.exit(0);
    }
}
