import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Five pages ask a host for weather, by OkHttp's asynchronous calls, and wait for the answer. Answers come from an
 * interceptor, so that there is no network: weather within 6 ms.
 *
 * NEEDS: libokhttp-java (okhttp.jar okio.jar)
 *
 * Problem: OkHttp has five calls at most to one host at a time. Twice a second six parts of an archive are asked for
 * at the same host, each of which Archive.fetch takes 150 ms for; weather waits in the dispatcher until one is done.
 * Truth: pages wait for their CompletableFuture because of Archive.fetch. Measured: archive and weather within the
 * pages' waiting, evenly divided among those at work.
 */
final class ArchivesTakeTheHostsCalls {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Archive {
        String fetch(String part) {
            long from = System.nanoTime();
            Truth.sleep(0.15);
            DIARY.held(0, from, System.nanoTime());
            return "old " + part;
        }
    }

    static final class Weather {
        String forecast(String place) {
            long from = System.nanoTime();
            Truth.sleep(0.006);
            DIARY.held(1, from, System.nanoTime());
            return "rain at " + place;
        }
    }

    static final class Host implements Interceptor {
        private final Archive archive = new Archive();
        private final Weather weather = new Weather();

        @Override
        public Response intercept(Chain chain) {
            Request request = chain.request();
            String path = request.url().encodedPath();
            String body = path.startsWith("/archive") ? archive.fetch(path) : weather.forecast(path);
            return new Response.Builder().request(request).protocol(Protocol.HTTP_1_1).code(200).message("OK")
                .body(ResponseBody.create(MediaType.parse("text/plain"), body)).build();
        }
    }

    static final class Asked extends CompletableFuture<String> implements Callback {
        @Override
        public void onResponse(Call call, Response response) throws IOException {
            try (ResponseBody body = response.body()) {
                complete(body.string());
            }
        }

        @Override
        public void onFailure(Call call, IOException exception) {
            completeExceptionally(exception);
        }
    }

    static final class Client {
        private final OkHttpClient client = new OkHttpClient.Builder().addInterceptor(new Host()).build();

        Asked request(String path) {
            Asked asked = new Asked();
            client.newCall(new Request.Builder().url("http://localhost" + path).build()).enqueue(asked);
            return asked;
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Client client = new Client();
        AtomicInteger shown = new AtomicInteger();
        for (int i = 1; i <= 5; i++) {
            String place = "/weather/" + i;
            Truth.repeat("page-" + i, () -> {
                long from = System.nanoTime();
                client.request(place).get();
                DIARY.waited(from, System.nanoTime());
                shown.incrementAndGet();
                Thread.sleep(30);
            });
        }
        Truth.repeat("archivist", () -> {
            for (int part = 0; part < 6; part++) {
                client.request("/archive/" + part);
            }
            Thread.sleep(500);
        });
        Truth.sleep(seconds);
        System.out.printf("%d shown, waited %.2f s%n", shown.get(), DIARY.waitedSeconds());
        Truth.of("parts of an archive take all calls that a host may have").object("CompletableFuture", "Asked")
            .culprit("Archive.fetch").thread("OkHttp http://localhost/...").victims("page-*")
            .share(DIARY.share(0), "the pages' waiting for weather").say();
        Runtime.getRuntime().halt(0);
    }
}
