import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Quotes by gRPC, in one process: a service of one thread, since its book is not made for more, behind an interceptor
 * that counts. Five desks call it and wait; a watchman reads a stream of news, one in 1.5 s, and is at rest in
 * between.
 *
 * NEEDS: libgrpc-java libguava-java (grpc-core.jar grpc-api.jar grpc-stub.jar grpc-context.jar perfmark-api.jar
 * guava.jar)
 *
 * Problem: the dashboard asks too, ten times a second, without waiting, on a channel with a direct executor: its
 * answer is delivered on the service's thread, and there Dashboard.onNext draws for 60 ms. Truth: desks wait for their
 * calls because of it. Measured: drawing and quoting (2 ms) within the desks' waiting.
 */
final class DashboardDrawsOnTheCallThread {
    static final Truth.Diary DIARY = new Truth.Diary();

    /** Strings as they are. */
    static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }

        static MethodDescriptor<String, String> method(String name, MethodType type) {
            return MethodDescriptor.<String, String>newBuilder(new Text(), new Text()).setType(type)
                .setFullMethodName("Quotes/" + name).build();
        }
    }

    static final MethodDescriptor<String, String> QUOTE = Text.method("quote", MethodType.UNARY);
    static final MethodDescriptor<String, String> NEWS = Text.method("news", MethodType.SERVER_STREAMING);

    static final class Counting implements ServerInterceptor {
        private final AtomicLong calls = new AtomicLong();

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
            calls.incrementAndGet();
            return next.startCall(call, headers);
        }
    }

    static final class Quotes {
        private final List<StreamObserver<String>> readers = new ArrayList<>();

        void quote(String paper, StreamObserver<String> answer) {
            long from = System.nanoTime();
            Truth.sleep(0.002);
            DIARY.held(1, from, System.nanoTime());
            answer.onNext(paper + " 101");
            answer.onCompleted();
        }

        void news(String topic, StreamObserver<String> answer) {
            readers.add(answer);
        }

        /** On the service's thread, as the calls are. */
        void publish(String text) {
            readers.forEach(reader -> reader.onNext(text));
        }

        ServerServiceDefinition definition() {
            return ServerServiceDefinition.builder("Quotes").addMethod(QUOTE, ServerCalls.asyncUnaryCall(this::quote))
                .addMethod(NEWS, ServerCalls.asyncServerStreamingCall(this::news)).build();
        }
    }

    record Dashboard(AtomicLong drawn) implements StreamObserver<String> {
        @Override
        public void onNext(String quote) {
            long from = System.nanoTime();
            Truth.sleep(quote.isEmpty() ? 0 : 0.06);
            drawn.incrementAndGet();
            DIARY.held(0, from, System.nanoTime());
        }

        @Override
        public void onError(Throwable thrown) {
            throw new IllegalStateException(thrown);
        }

        @Override
        public void onCompleted() {
            // The next one is asked for by the clock.
        }
    }

    record Desk(Channel channel, String paper) {
        String ask() {
            return ClientCalls.blockingUnaryCall(channel, QUOTE, CallOptions.DEFAULT, paper);
        }
    }

    public static void main(String[] arguments) throws IOException {
        var service = Executors.newSingleThreadExecutor(work -> Truth.daemon("quotes", work));
        Quotes quotes = new Quotes();
        InProcessServerBuilder.forName("exchange").executor(service).intercept(new Counting())
            .addService(quotes.definition()).build().start();
        ManagedChannel desks = InProcessChannelBuilder.forName("exchange").build();
        ManagedChannel direct = InProcessChannelBuilder.forName("exchange").directExecutor().build();
        Truth.start("watchman", () -> ClientCalls.blockingServerStreamingCall(desks, NEWS, CallOptions.DEFAULT, "all")
            .forEachRemaining(news -> { }));
        DIARY.clients("desk", 5, 20, () -> new Desk(desks, "gold").ask());
        Dashboard dashboard = new Dashboard(new AtomicLong());
        Truth.repeat("refresh", () -> {
            ClientCalls.asyncUnaryCall(direct.newCall(QUOTE, CallOptions.DEFAULT), "index", dashboard);
            Thread.sleep(100);
        });
        Truth.repeat("newsroom", () -> {
            service.execute(() -> quotes.publish("calm"));
            Thread.sleep(1500);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("answers to the dashboard are drawn on the service's only thread").object("ThreadlessExecutor")
            .culprit("Dashboard.onNext").thread("quotes").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for their calls").say();
        System.exit(0);
    }
}
