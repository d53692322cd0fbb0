import java.io.IOException;
import java.io.OutputStream;
import java.util.Properties;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;

/**
 * A set-top box keeps its settings in java.util.Properties. Six tuners note the last channel (setProperty); a remote
 * control changes something now and then.
 *
 * Problem: after each change the settings are stored on a network share, Share.write, 4 ms for each line, by
 * Properties.store, with the monitor of the properties. A copy is taken by a backup each 150 ms, Settings.copy, 3 ms, with the same
 * monitor. Truth: tuners wait for the Properties' monitor because of Share.write. Measured: the part of the waiting
 * for the monitor during which the share is written to.
 */
final class SettingsStoredAtEachChange {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Share extends OutputStream {
        private int lines;

        @Override
        public void write(int b) {
            if (b == '\n') {
                lines++;
                long from = System.nanoTime();
                Truth.sleep(0.004);
                DIARY.held(0, from, System.nanoTime());
            }
        }

        @Override
        public void write(byte[] bytes, int start, int length) {
            for (int i = 0; i < length; i++) {
                write(bytes[start + i]);
            }
        }
    }

    static class Settings {
        private final Properties values = new Properties();

        void set(String name, String value) {
            long from = System.nanoTime();
            values.setProperty(name, value);
            DIARY.waited(from, System.nanoTime());
        }

        int copy() {
            synchronized (values) {
                long from = System.nanoTime();
                int size = new Properties(values).size();
                Truth.sleep(0.003);
                DIARY.held(1, from, System.nanoTime());
                return size;
            }
        }
    }

    static final class StoredSettings extends Settings {
        private final Properties own;

        StoredSettings() {
            own = super.values;
        }

        void change(String name, String value) throws IOException {
            synchronized (own) { // nobody is to change what is being stored
                own.put(name, value);
                try (OutputStream share = new Share()) {
                    own.store(share, "settings");
                }
            }
        }
    }

    public static void main(String[] arguments) {
        StoredSettings settings = new StoredSettings();
        Timer timer = new Timer("backup", true);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                settings.copy();
            }
        }, 150, 150);
        for (int i = 1; i <= 6; i++) {
            String name = "channel." + i;
            Random random = new Random(i);
            Truth.repeat("tuner-" + i, () -> {
                settings.set(name, String.valueOf(random.nextInt(500)));
                Thread.sleep(7 + random.nextInt(6));
            });
        }
        Random random = new Random(17);
        Truth.repeat("remote-control", () -> {
            settings.change("volume", String.valueOf(random.nextInt(30)));
            Thread.sleep(60 + random.nextInt(60));
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("settings are stored on a share with their monitor in hand").object("Properties")
            .culprit("Share.write", "StoredSettings.change").thread("remote-control").victims("tuner-*")
            .share(DIARY.share(0), "the tuners' waiting for the settings").say();
    }
}
