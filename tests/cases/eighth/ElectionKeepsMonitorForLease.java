import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.util.ArrayList;
import java.util.List;

/**
 * Leader election by a lock on a file: another process (a second JVM, started by this one) has the lease.
 * Workers ask from time to time whether they are of the leader.
 *
 * Problem: Election.campaign waits for the file's lock, which the other node keeps for as long as it lives,
 * inside of Election's monitor; isLeader needs the same monitor. Truth: all workers are stuck because of
 * Election.campaign (or LeaseFile.take, which it calls).
 */
final class ElectionKeepsMonitorForLease {
    record LeaseFile(File file) {
        FileLock take() throws IOException {
            return new RandomAccessFile(file, "rw").getChannel().lock();
        }
    }

    static final class Election {
        private final LeaseFile lease;
        private FileLock won;

        Election(LeaseFile lease) {
            this.lease = lease;
        }

        synchronized void campaign() throws IOException {
            if (won == null) {
                won = lease.take();
            }
        }

        synchronized boolean isLeader() {
            return won != null;
        }
    }

    static final class Compactor {
        private final Election election;
        private int rounds;

        Compactor(Election election) {
            this.election = election;
        }

        void tick() {
            while (true) {
                if (election.isLeader()) {
                    rounds += 1;
                }
                Truth.sleep(0.05);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        File file = new File(System.getProperty("java.io.tmpdir"),
            "lease-" + (arguments.length > 1 ? arguments[1] : String.valueOf(ProcessHandle.current().pid())));
        if (arguments.length > 1) { // the other node, until its input ends
            try (FileLock lock = new LeaseFile(file).take()) {
                System.out.println("leads " + lock.isValid());
                System.in.read();
            }
            return;
        }
        double seconds = Truth.seconds(arguments);
        Process other = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx32m",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "-Djava.io.tmpdir="
            + file.getParent(), "ElectionKeepsMonitorForLease", "0",
            String.valueOf(ProcessHandle.current().pid())).redirectErrorStream(true).start();
        other.getInputStream().read();
        file.deleteOnExit();
        Election election = new Election(new LeaseFile(file));
        List<Thread> workers = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            Thread thread = new Thread(new Compactor(election)::tick, "compactor-" + i);
            thread.setDaemon(true);
            thread.start();
            workers.add(thread);
        }
        Truth.sleep(0.7);
        Truth.repeat("election", election::campaign);
        Truth.hangsOnce(workers);
        Truth.sayAndHalt(Truth.stuck("the lease of another process is waited for under the election's monitor")
            .object("Election").culprit("Election.campaign", "LeaseFile.take").thread("election")
            .victims("compactor-*").noShare(), seconds - 1);
        Truth.sleep(seconds); // the other node ends when this one has
    }
}
