import java.util.Properties;

/**
 * Workers look into settings for each item; every 400 ms a watcher reads them again.
 *
 * Problem: while the flag `loading` is up, current() waits for it to fall; Settings.reload raises it first and
 * only then has the new ones checked, 120 ms by SettingsCheck.tryAll. No lock is held meanwhile. Truth: workers
 * wait for Settings because of SettingsCheck.tryAll. Measured: the part of the waiting during which it ran.
 */
final class ReloadChecksWhileFlagIsUp {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class SettingsCheck {
        boolean tryAll(Properties settings) {
            long from = System.nanoTime();
            for (int i = 0; i < 6; i++) {
                Truth.sleep(0.02); // is each of the servers named there?
            }
            DIARY.held(0, from, System.nanoTime());
            return !settings.isEmpty();
        }
    }

    static final class Settings {
        private final SettingsCheck check = new SettingsCheck();
        private Properties properties = new Properties();
        private boolean loading;

        synchronized Properties current() throws InterruptedException {
            while (loading) {
                long from = System.nanoTime();
                wait();
                DIARY.waited(from, System.nanoTime());
            }
            return properties;
        }

        private synchronized void raise() {
            loading = true;
        }

        private synchronized void publish(Properties loaded) {
            properties = loaded;
            loading = false;
            notifyAll();
        }

        void reload() {
            raise();
            Properties loaded = new Properties();
            loaded.setProperty("time", String.valueOf(System.nanoTime()));
            publish(check.tryAll(loaded) ? loaded : properties);
        }
    }

    static final class Items {
        private final Settings settings;
        private int length;

        Items(Settings settings) {
            this.settings = settings;
        }

        void next() throws InterruptedException {
            length += settings.current().getProperty("time", "").length();
            Thread.sleep(7);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Settings settings = new Settings();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("item-" + i, new Items(settings)::next);
        }
        Truth.repeat("settings-watch", () -> {
            Thread.sleep(400);
            settings.reload();
        });
        Truth.sleep(seconds);
        Truth.of("settings are checked while all wait for the flag to fall").object("Settings")
            .culprit("SettingsCheck.tryAll", "Settings.reload").thread("settings-watch").victims("item-*")
            .share(DIARY.share(0), "the waiting for the flag").say();
    }
}
