import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleDeserializers;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;

/**
 * Six consumers parse messages with one ObjectMapper; a message is an envelope around a payload, for which a schema is
 * asked for.
 *
 * NEEDS: libjackson2-core-java libjackson2-databind-java libjackson2-annotations-java (jackson-core.jar
 * jackson-databind.jar jackson-annotations.jar)
 *
 * Problem: the deserializer of payloads does not say that it may be cached, so that Jackson has one made for each
 * message, under a lock, and PayloadSchemas.findBeanDeserializer asks a registry for 12 ms each time. Truth: consumers
 * wait for a HashMap's monitor because of PayloadSchemas.findBeanDeserializer or SchemaRegistry.fetch, that is each
 * other. Measured: the part of their time until their own schema is asked for during which another's is; what takes
 * less than 1 ms is no waiting.
 */
final class SchemaAskedForEachMessage {
    static final Truth.Diary DIARY = new Truth.Diary();
    static final ThreadLocal<Long> ASKED = ThreadLocal.withInitial(() -> 0L);

    static final class Payload {
        final long weight;

        Payload(long weight) {
            this.weight = weight;
        }
    }

    static final class Envelope {
        final Payload payload;

        Envelope(Payload payload) {
            this.payload = payload;
        }
    }

    static final class SchemaRegistry {
        static String fetch(String name) {
            Truth.sleep(0.012);
            return name + ":1";
        }
    }

    static final class PayloadDeserializer extends JsonDeserializer<Payload> {
        private final String schema;

        PayloadDeserializer(String schema) {
            this.schema = schema;
        }

        @Override
        public Payload deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return new Payload(parser.getLongValue() + schema.length());
        }
    }

    static final class EnvelopeDeserializer extends JsonDeserializer<Envelope> {
        @Override
        public Envelope deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            parser.nextToken();
            parser.nextToken();
            ASKED.set(System.nanoTime());
            Payload payload = context.readValue(parser, Payload.class);
            parser.nextToken();
            return new Envelope(payload);
        }
    }

    static final class PayloadSchemas extends SimpleDeserializers {
        private static final long serialVersionUID = 1;

        @Override
        public JsonDeserializer<?> findBeanDeserializer(JavaType type, DeserializationConfig configuration,
                BeanDescription bean) {
            if (type.getRawClass() == Envelope.class) {
                return new EnvelopeDeserializer();
            }
            if (type.getRawClass() != Payload.class) {
                return null;
            }
            long from = System.nanoTime();
            if (from - ASKED.get() > 1_000_000) {
                DIARY.waited(ASKED.get(), from);
            }
            JsonDeserializer<?> made = new PayloadDeserializer(SchemaRegistry.fetch(type.toCanonical()));
            DIARY.held(0, from, System.nanoTime());
            return made;
        }
    }

    static final class Consumer {
        private final ObjectMapper mapper;
        private long weight;

        Consumer(ObjectMapper mapper) {
            this.mapper = mapper;
        }

        void consume() throws IOException, InterruptedException {
            weight += mapper.readValue("{\"payload\": 48}", Envelope.class).payload.weight;
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Truth.seconds(arguments);
        SimpleModule module = new SimpleModule();
        module.setDeserializers(new PayloadSchemas());
        ObjectMapper mapper = new ObjectMapper().registerModule(module);
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("consumer-" + i, new Consumer(mapper)::consume);
        }
        DIARY.fill(seconds);
        Truth.of("a deserializer is made anew for each message, under a lock").object("HashMap", "ReentrantLock")
            .culprit("PayloadSchemas.findBeanDeserializer", "SchemaRegistry.fetch").thread("consumer-*")
            .victims("consumer-*").share(DIARY.share(0), "the consumers' waiting for each other").say();
        System.exit(0);
    }
}
