package de.lager.partner;

/** Reads the partner's catalogues anew, one after the other. */
public final class Resync {
    private final PartnerGateway gateway;
    private int catalogue;
    private long articles;

    public Resync(PartnerGateway gateway) {
        this.gateway = gateway;
    }

    public void next() throws Exception {
        catalogue = (catalogue + 1) % 40;
        articles += gateway.call(0, () -> download(catalogue));
    }

    private int download(int number) throws InterruptedException {
        int articles = 0;
        for (int block = 0; block < 4; block++) {
            Thread.sleep(7);
            articles += number * 100 + block;
        }
        return articles;
    }
}
