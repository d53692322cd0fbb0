import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Who is signed in is known to one actor, which takes its messages one by one: sign in, touch, sweep. Six gateways ask
 * it with each request whether the session is alive, and await the answer.
 *
 * Problem: a device signs in again and again, and the actor derives the key from the password, about 25 ms of
 * computing, before it takes the next message. Truth: gateways wait for their answers because of Passwords.matches.
 * Measured: deriving, sweeping (3 ms) and touching within the gateways' waiting.
 */
final class PasswordsHashedOnTheActorLoop {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class Passwords {
        private final SecretKeyFactory factory;
        private int rounds = 1000;

        Passwords() throws GeneralSecurityException {
            factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
            long quickest = Long.MAX_VALUE;
            for (int i = 0; i < 300; i++) {
                long from = System.nanoTime();
                derive("warm up");
                quickest = Math.min(quickest, System.nanoTime() - from);
            }
            rounds = (int) (rounds * 25e6 / quickest);
        }

        private byte[] derive(String password) throws GeneralSecurityException {
            PBEKeySpec key = new PBEKeySpec(password.toCharArray(), new byte[16], rounds, 256);
            return factory.generateSecret(key).getEncoded();
        }

        boolean matches(String password, int first) {
            long from = System.nanoTime();
            try {
                return derive(password)[0] != first;
            } catch (GeneralSecurityException exception) {
                return false;
            } finally {
                DIARY.held(0, from, System.nanoTime());
            }
        }
    }

    /** What the actor understands. */
    interface Message {
        void on(State state);
    }

    static final class State {
        final Map<String, Long> sessions = new HashMap<>();
        final Passwords passwords;

        State(Passwords passwords) {
            this.passwords = passwords;
        }
    }

    record SignIn(String name, CompletableFuture<Boolean> answer) implements Message {
        @Override
        public void on(State state) {
            boolean right = state.passwords.matches(name + "'s secret", 300);
            if (right) {
                state.sessions.put(name, System.nanoTime());
            }
            answer.complete(right);
        }
    }

    record Touch(String name, CompletableFuture<Boolean> answer) implements Message {
        @Override
        public void on(State state) {
            answer.complete(state.sessions.computeIfPresent(name, (key, last) -> System.nanoTime()) != null);
        }
    }

    record Sweep() implements Message {
        @Override
        public void on(State state) {
            long from = System.nanoTime();
            state.sessions.values().removeIf(last -> from - last > 5e9);
            Truth.sleep(0.003);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Actor {
        private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();

        Actor(String name, State state) {
            Truth.repeat(name, () -> mailbox.take().on(state));
        }

        void tell(Message message) {
            mailbox.add(message);
        }
    }

    record Gateway(Actor sessions) {
        boolean request(String name) throws Exception {
            CompletableFuture<Boolean> alive = new CompletableFuture<>();
            sessions.tell(new Touch(name, alive));
            return alive.get();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Actor sessions = new Actor("sessions", new State(new Passwords()));
        DIARY.clients("gateway", 6, 9, () -> new Gateway(sessions).request("ann"));
        Truth.repeat("device", () -> {
            CompletableFuture<Boolean> right = new CompletableFuture<>();
            sessions.tell(new SignIn("ann", right));
            right.get();
            Thread.sleep(40);
        });
        Truth.repeat("housekeeping", () -> {
            sessions.tell(new Sweep());
            Thread.sleep(60);
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the actor that knows the sessions derives keys from passwords between its messages")
            .object("CompletableFuture", "Signaller").culprit("Passwords.matches", "Passwords.derive")
            .thread("sessions").victims("gateway-*").share(DIARY.share(0), "the gateways' waiting for answers").say();
    }
}
