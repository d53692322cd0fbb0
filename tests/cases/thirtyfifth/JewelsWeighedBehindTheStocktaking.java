import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * A pawnbroker's actors, made at home: a mailbox of JCTools' and a thread each, which parks when it
 * has nothing to read. Four counters ask the appraiser, and join the future; the appraiser asks the
 * vault what a jewel weighs (2 ms there).
 *
 * NEEDS: libjctools-java (jctools-core.jar)
 *
 * Problem: an inspector has the vault take stock, Vault.takeStock, 15 ms, each 40 ms. Truth: counters
 * wait for the appraiser's future, because of Vault.takeStock. Measured: the part of the counters'
 * waiting during which the vault takes stock.
 */
final class JewelsWeighedBehindTheStocktaking {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Actor<M> implements Runnable {
        private final MpscUnboundedArrayQueue<M> mailbox = new MpscUnboundedArrayQueue<>(64);
        private final Consumer<M> behaviour;
        private volatile boolean idle;
        private final Thread thread;

        Actor(String name, Consumer<M> behaviour) {
            this.behaviour = behaviour;
            thread = Truth.daemon(name, this);
            thread.start();
        }

        void tell(M message) {
            mailbox.offer(message);
            if (idle) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void run() {
            while (true) {
                M message = mailbox.poll();
                if (message != null) {
                    behaviour.accept(message);
                    continue;
                }
                idle = true;
                if (mailbox.isEmpty()) {
                    LockSupport.park(this);
                }
                idle = false;
            }
        }
    }

    record Ask(int jewel, CompletableFuture<Integer> reply) {
    }

    static final class Vault {
        private int grams;

        void receive(Ask ask) {
            long from = System.nanoTime();
            if (ask.reply() == null) {
                takeStock();
                DIARY.held(0, from, System.nanoTime());
            } else {
                int weight = weigh(ask.jewel());
                DIARY.held(1, from, System.nanoTime());
                ask.reply().complete(weight);
            }
        }

        private void takeStock() {
            for (int drawer = 0; drawer < 5; drawer++) {
                Truth.sleep(0.003);
                grams += drawer;
            }
        }

        private int weigh(int jewel) {
            Truth.sleep(0.002);
            return grams + jewel;
        }
    }

    static final class Appraiser {
        private final Actor<Ask> vault;

        Appraiser(Actor<Ask> vault) {
            this.vault = vault;
        }

        void receive(Ask ask) {
            CompletableFuture<Integer> weight = new CompletableFuture<>();
            vault.tell(new Ask(ask.jewel(), weight));
            ask.reply().complete(weight.join() * 31);
        }
    }

    public static void main(String[] arguments) {
        Vault vault = new Vault();
        Actor<Ask> vaultActor = new Actor<>("vault-actor", vault::receive);
        Appraiser appraiser = new Appraiser(vaultActor);
        Actor<Ask> appraiserActor = new Actor<>("appraiser-actor", appraiser::receive);
        Truth.repeat("inspector", () -> {
            vaultActor.tell(new Ask(0, null));
            Thread.sleep(40);
        });
        for (int i = 1; i <= 4; i++) {
            int jewel = i;
            DIARY.clients("counter-" + i, 1, 14 + i, () -> {
                CompletableFuture<Integer> reply = new CompletableFuture<>();
                appraiserActor.tell(new Ask(jewel, reply));
                reply.join();
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the vault takes stock while the appraiser waits for a weight")
            .object("CompletableFuture", "Signaller").culprit("Vault.takeStock").thread("vault-actor")
            .victims("counter-*-*", "appraiser-actor")
            .share(DIARY.share(0), "the counters' waiting for an answer").say();
    }
}
