import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * A pharmacy: three counters ask by gRPC, in one process, whether a box is in stock, each three times a second; four
 * threads serve them, and take one of six scanners from a pool of Commons Pool's, which looks after idle ones itself.
 * Two screens read a stream of recalls, one in two seconds. A night bell is waited for that nobody rings.
 *
 * NEEDS: libgrpc-java libguava-java libcommons-pool2-java (grpc-core.jar grpc-api.jar grpc-stub.jar grpc-context.jar
 * perfmark-api.jar guava.jar commons-pool2.jar)
 *
 * Problem: none; an answer takes some milliseconds, and screens, workers and housekeepers wait for work. Truth:
 * healthy. Measured: how long counters took, in the mean.
 */
final class PharmacyByGrpcHealthy {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Number implements MethodDescriptor.Marshaller<Integer> {
        @Override
        public InputStream stream(Integer value) {
            return new ByteArrayInputStream(new byte[] {value.byteValue()});
        }

        @Override
        public Integer parse(InputStream stream) {
            try (stream) {
                return stream.read();
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }

    static MethodDescriptor<Integer, Integer> method(MethodType type, String name) {
        return MethodDescriptor.<Integer, Integer>newBuilder().setType(type).setFullMethodName("Pharmacy/" + name)
            .setRequestMarshaller(new Number()).setResponseMarshaller(new Number()).build();
    }

    static final MethodDescriptor<Integer, Integer> IN_STOCK = method(MethodType.UNARY, "inStock");
    static final MethodDescriptor<Integer, Integer> RECALLS = method(MethodType.SERVER_STREAMING, "recalls");

    record Scanner(int number) {
        int look(int box) {
            Truth.sleep(0.002);
            return (box + number) % 100;
        }
    }

    static final class Scanners extends BasePooledObjectFactory<Scanner> {
        private int made;

        @Override
        public synchronized Scanner create() {
            return new Scanner(++made);
        }

        @Override
        public PooledObject<Scanner> wrap(Scanner scanner) {
            return new DefaultPooledObject<>(scanner);
        }
    }

    record Pharmacy(GenericObjectPool<Scanner> scanners, List<StreamObserver<Integer>> screens) {
        void inStock(int box, StreamObserver<Integer> answer) {
            try {
                Scanner scanner = scanners.borrowObject();
                try {
                    answer.onNext(scanner.look(box));
                } finally {
                    scanners.returnObject(scanner);
                }
                answer.onCompleted();
            } catch (Exception exception) {
                answer.onError(exception);
            }
        }

        void recalls(int since, StreamObserver<Integer> screen) {
            screens.add(screen);
        }

        ServerServiceDefinition definition() {
            return ServerServiceDefinition.builder("Pharmacy")
                .addMethod(IN_STOCK, ServerCalls.asyncUnaryCall(this::inStock))
                .addMethod(RECALLS, ServerCalls.asyncServerStreamingCall(this::recalls)).build();
        }
    }

    static final class Bell {
        private boolean rung;

        synchronized void await() throws InterruptedException {
            while (!rung) {
                wait();
            }
            rung = false;
        }

        synchronized void ring() {
            rung = true;
            notifyAll();
        }
    }

    public static void main(String[] arguments) throws IOException {
        GenericObjectPool<Scanner> scanners = new GenericObjectPool<>(new Scanners());
        scanners.setMaxTotal(6);
        scanners.setTimeBetweenEvictionRuns(Duration.ofMillis(700));
        Pharmacy pharmacy = new Pharmacy(scanners, new CopyOnWriteArrayList<>());
        InProcessServerBuilder.forName("pharmacy").executor(Executors.newFixedThreadPool(4,
            work -> Truth.daemon("serve", work))).addService(pharmacy.definition()).build().start();
        Channel channel = InProcessChannelBuilder.forName("pharmacy").build();
        Bell bell = new Bell();
        Truth.repeat("night-bell", bell::await);
        for (String screen : List.of("screen-1", "screen-2")) {
            Truth.start(screen, () -> ClientCalls.blockingServerStreamingCall(channel, RECALLS, CallOptions.DEFAULT, 0)
                .forEachRemaining(recall -> { }));
        }
        DIARY.clients("counter", 3, 330, () -> ClientCalls.blockingUnaryCall(channel, IN_STOCK,
            CallOptions.DEFAULT.withDeadlineAfter(9, TimeUnit.SECONDS), 7));
        double seconds = Truth.seconds(arguments);
        for (double until = 0; until + 2 <= seconds; until += 2) {
            Truth.sleep(2);
            pharmacy.screens().forEach(screen -> screen.onNext(3));
        }
        System.out.printf("counters waited %.1f ms in a second%n", DIARY.waitedSeconds() / seconds / 3 * 1000);
        bell.ring();
        Truth.healthy("calls are answered at once, and all others wait for work").object().culprit().thread().victims()
            .noShare().say();
        System.exit(0);
    }
}
