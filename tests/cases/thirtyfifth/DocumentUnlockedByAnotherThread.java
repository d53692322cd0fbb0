import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An editor: three sessions, each a thread with a queue of commands, change one document with its
 * lock, and unlock it when the spelling has been looked up: a future that is complete at once, if the
 * words are known.
 *
 * Problem: after two fifths of the time a word is not known. Then the future is completed by the
 * speller's thread, which is not the owner: unlock throws, and nobody looks at the future that has the
 * exception. The session goes back to its queue, where no command comes any more, as its author waits
 * for others. Truth: stuck; sessions wait for the ReentrantLock because of Document.edit.
 */
final class DocumentUnlockedByAnotherThread {
    static volatile boolean rareWord;

    static final class Speller {
        private final Map<String, Boolean> known = new HashMap<>();
        private final BlockingQueue<CompletableFuture<Boolean>> asked = new LinkedBlockingQueue<>();

        Speller() {
            known.put("common", true);
            Truth.repeat("speller", () -> {
                CompletableFuture<Boolean> word = asked.take();
                Thread.sleep(40);
                word.complete(true);
            });
        }

        CompletableFuture<Boolean> look(String word) {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            if (known.containsKey(word)) {
                answer.complete(true);
            } else {
                asked.add(answer);
            }
            return answer;
        }
    }

    static final class Document {
        private final ReentrantLock lock = new ReentrantLock();
        private final Speller speller = new Speller();
        private int words;

        void edit(String word) {
            lock.lock();
            words++;
            Truth.sleep(0.003);
            speller.look(word).whenComplete((right, failure) -> lock.unlock());
        }
    }

    static final class Session implements Truth.Step {
        private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        private final Document document;

        Session(Document document) {
            this.document = document;
        }

        @Override
        public void run() throws Exception {
            document.edit(commands.take());
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        Document document = new Document();
        List<Thread> all = new ArrayList<>();
        List<Session> sessions = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Session session = new Session(document);
            sessions.add(session);
            all.add(Truth.repeat("session-" + i, session));
        }
        Truth.repeat("typing", () -> {
            for (int i = 0; i < 3; i++) {
                if (!rareWord) {
                    sessions.get(i).commands.add("common");
                }
            }
            Thread.sleep(9);
        });
        Truth.hangsOnce(all);
        Truth.sayAndHalt(Truth.stuck("a lock is to be unlocked by a thread that does not own it")
            .object("ReentrantLock", "NonfairSync").culprit("Document.edit").thread("session-*").victims("session-*")
            .noShare(), seconds);
        Truth.sleep(seconds * 0.4);
        rareWord = true;
        Truth.sleep(0.05);
        sessions.get(0).commands.add("syzygy");
        Truth.sleep(0.2);
        sessions.get(1).commands.add("common");
        sessions.get(2).commands.add("common");
        Truth.sleep(seconds + 2);
    }
}
