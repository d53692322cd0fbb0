import java.io.IOException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Hashtable;

/**
 * Robots rules of sites, remembered in a Hashtable by their URL; URLs have a handler of the crawler's own.
 *
 * Problem: a URL's hash code is made of its host's address: IntranetHandler.hashCode asks for it, 5 ms, and it
 * does so inside of Hashtable.get, where the table's monitor is held. Truth: crawlers wait for the Hashtable
 * because of HostNames.addressOf. Measured: the part of the waiting during which it ran.
 */
final class UrlKeysResolveInTable {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class HostNames {
        static int addressOf(String host) {
            long from = System.nanoTime();
            Truth.sleep(0.005);
            DIARY.held(0, from, System.nanoTime());
            return host.hashCode() | 0x0a000000;
        }
    }

    static final class IntranetHandler extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            throw new IOException("not opened here");
        }

        @Override
        protected int hashCode(URL url) {
            return HostNames.addressOf(url.getHost()) + url.getPath().hashCode();
        }

        @Override
        protected boolean equals(URL one, URL other) {
            return one.toExternalForm().equals(other.toExternalForm());
        }
    }

    static final class Robots {
        private final Hashtable<URL, Boolean> rules = new Hashtable<>();
        private final IntranetHandler handler = new IntranetHandler();

        boolean allow(String site) throws IOException {
            URL url = new URL(null, "intranet://" + site + "/robots.txt", handler);
            long from = System.nanoTime();
            Boolean known = rules.get(url);
            long to = System.nanoTime();
            if (to - from > 5_400_000) { // of which the last 5 are its own look-up
                DIARY.waited(from, to - 5_200_000);
            }
            return known == null || known;
        }
    }

    static final class Crawler {
        private final Robots robots;
        private int site;

        Crawler(Robots robots, int site) {
            this.robots = robots;
            this.site = site;
        }

        void next() throws Exception {
            site = (site + 7) % 300;
            if (robots.allow("site" + site + ".corp")) {
                Thread.sleep(14);
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Robots robots = new Robots();
        for (int i = 1; i <= 7; i++) {
            Truth.repeat("crawler-" + i, new Crawler(robots, i)::next);
        }
        Truth.sleep(seconds);
        Truth.of("the hash code of a URL asks for its host's address inside of Hashtable.get")
            .object("Hashtable").culprit("HostNames.addressOf", "IntranetHandler.hashCode").thread("crawler-*")
            .victims("crawler-*").share(DIARY.share(0), "the waiting for the table").say();
    }
}
