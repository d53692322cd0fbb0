import de.lager.partner.PartnerGateway;
import de.lager.partner.Resync;
import de.lager.stock.StockPages;

/**
 * A warehouse's pages show a partner's stock. Each depot's figure is kept for 25 ms; who finds it too
 * old asks the partner (1 ms) with the depot's lock. A gateway allows two calls at a time.
 *
 * Problem: two threads read everything anew, catalogue by catalogue, Resync.download, 28 ms each, and
 * take the gateway's permits, so that who asks waits for a permit with the depot's lock. Truth: pages
 * wait for a depot's ReentrantLock (and its owner for the Semaphore) because of Resync.download.
 * Measured: the part of the pages' waiting for the lock during which its owner waits for a permit,
 * times the part of that during which downloads have the permits.
 */
final class StockPagesAwaitThePartnersLimit {
    static final Truth.Diary PERMITS = new Truth.Diary();
    static final Truth.Diary[] DEPOTS = {new Truth.Diary(), new Truth.Diary()};

    public static void main(String[] arguments) {
        PartnerGateway gateway = new PartnerGateway((who, asked, from, to) -> {
            PERMITS.held(who, from, to);
            if (who == 1) {
                PERMITS.waited(asked, from);
            }
        });
        StockPages pages = new StockPages(gateway, 2, (depot, asked, from, refreshed) -> {
            DEPOTS[depot].waited(asked, from);
            if (refreshed > 0) {
                DEPOTS[depot].held(0, from, refreshed);
            }
        });
        for (int i = 1; i <= 2; i++) {
            Resync resync = new Resync(gateway);
            Truth.repeat("resync-worker-" + i, () -> {
                resync.next();
                Thread.sleep(7);
            });
        }
        for (int i = 0; i < 8; i++) {
            int depot = i % 2;
            Truth.repeat("page-" + (i + 1), () -> {
                pages.stock(depot);
                Thread.sleep(8);
            });
        }
        Truth.sleep(Truth.seconds(arguments));
        double waited = 0, refreshing = 0;
        for (Truth.Diary depot : DEPOTS) {
            waited += depot.waitedSeconds();
            refreshing += depot.waitedSeconds() * depot.share(0);
        }
        Truth.of("downloads keep the permits for which the owner of a depot's lock waits")
            .object("ReentrantLock", "NonfairSync", "Semaphore").culprit("Resync.download").thread("resync-worker-*")
            .victims("page-*").share(refreshing / waited * PERMITS.share(0), "the pages' waiting for a depot").say();
    }
}
