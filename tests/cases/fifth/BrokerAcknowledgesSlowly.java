import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A registry publishes each change to a broker and waits for its acknowledgement while it is locked; ten
 * resolvers look names up in it. The broker takes 70 ms to confirm.
 *
 * Problem: Registry.publish keeps the registry locked until Broker.confirm is over. Truth: who looks up
 * waits for that; Acks.give, which ends the publisher's wait, takes no time. Measured: nothing but that.
 */
final class BrokerAcknowledgesSlowly {
    static final class Acks {
        private int given;

        synchronized void await(int wanted) throws InterruptedException {
            while (given < wanted) {
                wait();
            }
        }

        synchronized void give() {
            given++;
            notifyAll();
        }
    }

    static final class Registry {
        private final Acks acks = new Acks();
        private final BlockingQueue<Integer> wire = new LinkedBlockingQueue<>();
        private int sent;

        synchronized void publish() throws InterruptedException {
            wire.put(++sent);
            acks.await(sent);
        }

        synchronized int lookup() {
            return sent;
        }
    }

    record Broker(Registry registry) {
        void read() throws InterruptedException {
            registry.wire.take();
            confirm();
            registry.acks.give();
        }

        private void confirm() throws InterruptedException {
            Thread.sleep(70);
        }
    }

    record Resolver(Registry registry) {
        void resolve() throws InterruptedException {
            Thread.sleep(5);
            registry.lookup();
        }
    }

    public static void main(String[] arguments) {
        Registry registry = new Registry();
        Truth.repeat("broker", new Broker(registry)::read);
        Truth.repeat("publisher", () -> {
            registry.publish();
            Thread.sleep(40);
        });
        for (int i = 0; i < 10; i++) {
            Truth.repeat("resolver-" + i, new Resolver(registry)::resolve);
        }
        Truth.sleep(Truth.seconds(arguments));
        Truth.of("publishing waits for the broker while the registry is locked").object("Registry")
            .culprit("Broker.confirm", "Registry.publish").thread("broker", "publisher")
            .victims("resolver-*").noShare().say();
    }
}
