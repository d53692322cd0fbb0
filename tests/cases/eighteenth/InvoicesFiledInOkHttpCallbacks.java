import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Six desks ask for rates by one OkHttp client, and billing fetches invoices by the same one. It lets four calls to a
 * host be under way at a time, and a call is until its callback returns.
 *
 * NEEDS: libokhttp-java (okhttp.jar okio.jar)
 *
 * Problem: InvoiceFiling.onResponse takes 70 ms to file an invoice, and eight are asked for three times a second, so
 * that for half of the time none of the four is left for rates, which take 3 ms. Truth: desks wait for
 * CompletableFutures because of InvoiceFiling.onResponse. Measured: how long desks waited; no share, as only the
 * client knows what for.
 */
final class InvoicesFiledInOkHttpCallbacks {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final AtomicInteger FILED = new AtomicInteger(), RATES = new AtomicInteger();

    abstract static class Answer implements Callback {
        @Override
        public void onFailure(Call call, IOException exception) {
            System.out.println(exception);
        }
    }

    static final class InvoiceFiling extends Answer {
        @Override
        public void onResponse(Call call, Response response) throws IOException {
            byte[] invoice = response.body().bytes();
            Truth.sleep(0.07);
            FILED.addAndGet(invoice.length > 0 ? 1 : 0);
        }
    }

    static final class Rate extends Answer {
        private final CompletableFuture<String> told = new CompletableFuture<>();

        @Override
        public void onResponse(Call call, Response response) throws IOException {
            told.complete(response.body().string());
        }
    }

    static final class Partner {
        private final OkHttpClient client = new OkHttpClient();
        private final String address;

        Partner(int port) {
            address = "http://127.0.0.1:" + port + "/";
            client.dispatcher().setMaxRequestsPerHost(4);
        }

        void fetch(String what, Callback answer) {
            client.newCall(new Request.Builder().url(address + what).build()).enqueue(answer);
        }

        String rate() {
            Rate rate = new Rate();
            fetch("rate", rate);
            long from = System.nanoTime();
            String told = rate.told.join();
            DIARY.waited(from, System.nanoTime());
            return told;
        }
    }

    public static void main(String[] arguments) throws IOException {
        double seconds = Truth.seconds(arguments);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(4, work -> Truth.daemon("partner", work)));
        server.createContext("/", exchange -> {
            Truth.sleep(0.003);
            exchange.sendResponseHeaders(200, 5);
            exchange.getResponseBody().write(new byte[5]);
            exchange.close();
        });
        server.start();
        Partner partner = new Partner(server.getAddress().getPort());
        Truth.repeat("billing", () -> {
            for (int invoice = 0; invoice < 8; invoice++) {
                partner.fetch("invoice", new InvoiceFiling());
            }
            Thread.sleep(300);
        });
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("desk-" + i, () -> {
                RATES.addAndGet(partner.rate().isEmpty() ? 0 : 1);
                Thread.sleep(10);
            });
        }
        Truth.sleep(seconds);
        System.out.printf("%d rates, %d filed, waited %.2f s%n", RATES.get(), FILED.get(), DIARY.waitedSeconds());
        Truth.of("invoices are filed in callbacks that keep a client's calls").object("CompletableFuture", "Signaller")
            .culprit("InvoiceFiling.onResponse").thread("OkHttp http://*.*.*.*:*/...").victims("desk-*").noShare()
            .say();
        Runtime.getRuntime().halt(0);
    }
}
