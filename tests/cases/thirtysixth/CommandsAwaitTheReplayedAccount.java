import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A bank keeps events, not balances: one thread applies all commands, as they come from a mailbox made
 * at home (wait and notify), and keeps the twelve accounts used last in memory. Six callers wait for
 * the answer to their command, which takes half a millisecond.
 *
 * Problem: an account that is not in memory is made again from its events, EventStore.replay, 20 ms,
 * on that one thread. Truth: callers wait for their CompletableFuture because of EventStore.replay.
 * Measured: the part of the callers' waiting during which events are replayed.
 */
final class CommandsAwaitTheReplayedAccount {
    static final Truth.Diary DIARY = new Truth.Diary();

    record Command(int account, int amount, CompletableFuture<Integer> answer) {
    }

    static final class Mailbox {
        private final Queue<Command> commands = new ArrayDeque<>();

        synchronized void post(Command command) {
            commands.add(command);
            notify();
        }

        synchronized Command next() throws InterruptedException {
            while (commands.isEmpty()) {
                wait();
            }
            return commands.remove();
        }
    }

    static final class EventStore {
        private final Map<Integer, Integer> balances = new HashMap<>();

        int[] replay(int account) {
            long from = System.nanoTime();
            int[] balance = {balances.getOrDefault(account, 0)};
            for (int page = 0; page < 5; page++) {
                Truth.sleep(0.004);
                balance[0] += page;
            }
            DIARY.held(0, from, System.nanoTime());
            return balance;
        }

        void append(int account, int balance) {
            long from = System.nanoTime();
            Truth.sleep(0.0005);
            balances.put(account, balance);
            DIARY.held(1, from, System.nanoTime());
        }
    }

    static final class Writer implements Truth.Step {
        private final EventStore store = new EventStore();
        private final Mailbox mailbox;
        private final Map<Integer, int[]> known = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, int[]> eldest) {
                return size() > 12;
            }
        };

        Writer(Mailbox mailbox) {
            this.mailbox = mailbox;
        }

        @Override
        public void run() throws InterruptedException {
            Command command = mailbox.next();
            int[] balance = known.get(command.account());
            if (balance == null) {
                balance = store.replay(command.account());
                known.put(command.account(), balance);
            }
            balance[0] += command.amount();
            store.append(command.account(), balance[0]);
            command.answer().complete(balance[0]);
        }
    }

    public static void main(String[] arguments) {
        Mailbox mailbox = new Mailbox();
        Truth.repeat("single-writer", new Writer(mailbox));
        Random random = new Random(4);
        DIARY.clients("api", 6, 17, () -> {
            int account = random.nextInt(100) < 85 ? random.nextInt(10) : 10 + random.nextInt(900);
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            mailbox.post(new Command(account, 5, answer));
            answer.get();
        });
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("the only writer replays accounts that were forgotten").object("CompletableFuture", "Signaller")
            .culprit("EventStore.replay").thread("single-writer").victims("api-*")
            .share(DIARY.share(0), "the callers' waiting for an answer").say();
    }
}
