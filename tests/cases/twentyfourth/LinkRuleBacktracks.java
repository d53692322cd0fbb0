import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/**
 * A newspaper's readers send comments; each waits until the only moderator has held its comment against four rules.
 *
 * Problem: one rule's pattern, .*.*=.*, tries every way of dividing a text without a `=`, and every eighth comment is
 * long and has none. Truth: readers wait for a FutureTask because of LinkRule.passes. Measured: that rule, the other
 * rules and filing, within the readers' waiting.
 */
final class LinkRuleBacktracks {
    static final Truth.Diary DIARY = new Truth.Diary();

    interface Rule {
        boolean passes(String comment);
    }

    /** So many signs at most. */
    record LengthRule(int most) implements Rule {
        @Override
        public boolean passes(String comment) {
            return comment.length() <= most;
        }
    }

    record WordRule(String word) implements Rule {
        @Override
        public boolean passes(String comment) {
            return !comment.contains(word);
        }
    }

    /** No links that carry parameters. */
    static final class LinkRule implements Rule {
        private static final Pattern PARAMETER = Pattern.compile("(?:.*.*=.*)");

        @Override
        public boolean passes(String comment) {
            long from = System.nanoTime();
            boolean found = PARAMETER.matcher(comment).find();
            DIARY.held(0, from, System.nanoTime());
            return !found;
        }
    }

    static final class Moderation {
        private final ExecutorService moderator =
            Executors.newSingleThreadExecutor(work -> Truth.daemon("moderator-1", work));
        private final List<Rule> rules =
            List.of(new LengthRule(4000), new WordRule("lottery"), this::isPaced, new LinkRule());

        boolean publish(String comment) throws InterruptedException, ExecutionException {
            return moderator.submit(() -> rules.stream().allMatch(rule -> rule.passes(comment)) && file(comment)).get();
        }

        /** Who has sent too many lately is asked from the database. */
        private boolean isPaced(String comment) {
            return !comment.isEmpty() && database(0.0008);
        }

        private boolean file(String comment) {
            return database(comment.isEmpty() ? 0 : 0.001);
        }

        private boolean database(double seconds) {
            long from = System.nanoTime();
            Truth.sleep(seconds);
            DIARY.held(1, from, System.nanoTime());
            return true;
        }
    }

    public static void main(String[] arguments) {
        Moderation moderation = new Moderation();
        String brief = "I was there, and it was not like that. ", rant = brief.repeat(14);
        for (int i = 1; i <= 7; i++) {
            int[] turn = {i * 3};
            Truth.repeat("reader-" + i, () -> {
                String comment = turn[0]++ % 8 == 0 ? rant : brief;
                long from = System.nanoTime();
                moderation.publish(comment);
                DIARY.waited(from, System.nanoTime());
                Thread.sleep(60);
            });
        }
        DIARY.fill(Truth.seconds(arguments));
        Truth.of("a rule's pattern backtracks for long on the only moderator").object("FutureTask")
            .culprit("LinkRule.passes").thread("moderator-*").victims("reader-*")
            .share(DIARY.share(0), "the readers' waiting for their comment").say();
    }
}
