/**
 * Labels are printed at a carrier that allows so many a second: who wants one takes a token from a bucket, which
 * sleeps until enough are there, within its monitor.
 *
 * Problem: the bulk printer takes ninety at once, which the bucket never has; while it sleeps for them all desks
 * wait, who want one each. Truth: the desks wait for TokenBucket's monitor because of BulkLabels.printAll.
 * Measured: the part of the desks' waiting during which it was in the bucket.
 */
final class TokensSleptForUnderMonitor {
    static final Truth.Diary DIARY = new Truth.Diary();

    static final class TokenBucket {
        private static final double PER_SECOND = 400, MOST = 60;
        private double tokens = MOST;
        private long filled = System.nanoTime();

        void take(int wanted, int who) {
            long called = System.nanoTime();
            synchronized (this) {
                long entered = System.nanoTime();
                DIARY.waited(called, entered);
                fill();
                if (tokens < wanted) {
                    Truth.sleep((wanted - tokens) / PER_SECOND);
                    tokens = wanted;
                    filled = System.nanoTime();
                }
                tokens -= wanted;
                DIARY.held(who, entered, System.nanoTime());
            }
        }

        private void fill() {
            long now = System.nanoTime();
            tokens = Math.min(MOST, tokens + (now - filled) / 1e9 * PER_SECOND);
            filled = now;
        }
    }

    record BulkLabels(TokenBucket bucket) {
        void printAll() throws InterruptedException {
            bucket.take(90, 0);
            Thread.sleep(500);
        }
    }

    record Desk(TokenBucket bucket) {
        void printOne() throws InterruptedException {
            bucket.take(1, 1);
            Thread.sleep(30);
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        TokenBucket bucket = new TokenBucket();
        for (int i = 1; i <= 6; i++) {
            Truth.repeat("desk-" + i, new Desk(bucket)::printOne);
        }
        Truth.repeat("bulk-labels", new BulkLabels(bucket)::printAll);
        DIARY.fill(seconds);
        Truth.of("a rate limiter sleeps for ninety tokens within its monitor").object("TokenBucket")
            .culprit("BulkLabels.printAll").thread("bulk-labels").victims("desk-*")
            .share(DIARY.share(0), "the desks' waiting for the bucket").say();
    }
}
