import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Senders lease a channel to their peer from a table and give it back; a channel that is leased is waited for.
 *
 * Problem: ChannelTable.lease waits for a leased channel within the table's monitor, which is needed to give it back.
 * It happens when two senders have the same peer for the first time. Truth: stuck, because of ChannelTable.lease.
 */
final class SlotAwaitedWithinTheTable {
    static final class Channel {
        private boolean leased;

        synchronized void awaitFree() throws InterruptedException {
            while (leased) {
                wait();
            }
            leased = true;
        }

        synchronized void free() {
            leased = false;
            notifyAll();
        }
    }

    static final class ChannelTable {
        private final Map<String, Channel> channels = new HashMap<>();

        synchronized Channel lease(String peer) throws InterruptedException {
            Channel channel = channels.computeIfAbsent(peer, name -> new Channel());
            channel.awaitFree();
            return channel;
        }

        synchronized void giveBack(Channel channel) {
            channel.free();
        }
    }

    static final class Sender {
        private final ChannelTable table;
        private final String own;
        private volatile boolean shared;
        private int sent;

        Sender(ChannelTable table, String own) {
            this.table = table;
            this.own = own;
        }

        void run() {
            try {
                while (true) {
                    Channel channel = table.lease(shared ? "archive" : own);
                    Thread.sleep(3);
                    sent += 1;
                    table.giveBack(channel);
                    Thread.sleep(7);
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        ChannelTable table = new ChannelTable();
        List<Thread> threads = new ArrayList<>();
        List<Sender> senders = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Sender sender = new Sender(table, "peer-" + i);
            Thread thread = new Thread(sender::run, "sender-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
            senders.add(sender);
        }
        Truth.hangsOnce(threads);
        Truth.sayAndHalt(Truth.stuck("who waits for a channel keeps the monitor that is needed to give it back")
            .object("ChannelTable", "Channel").culprit("ChannelTable.lease", "Channel.awaitFree").thread("sender-*")
            .victims("sender-*").noShare(), seconds);
        Truth.sleep(1.2);
        for (int i = 0; i < 3; i++) {
            senders.get(i).shared = true;
        }
        Truth.sleep(seconds);
    }
}
