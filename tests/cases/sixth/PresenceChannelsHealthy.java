import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A presence service with 150 channels, virtual threads where there are any: each waits for what happens
 * in its room, and after a second without anything sends a heartbeat. Two rooms are busy, most are not.
 *
 * Problem: none; there is nothing to do in most rooms. Truth: healthy. Measured: nothing.
 */
final class PresenceChannelsHealthy {
    record Event(String who, String what) {
    }

    /** What one subscriber has yet to be sent. */
    static final class Channel implements Runnable {
        static final AtomicInteger SENT = new AtomicInteger(), HEARTBEATS = new AtomicInteger();
        private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        private final int number;

        Channel(int number) {
            this.number = number;
        }

        void publish(Event event) {
            events.add(event);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    sendNext();
                }
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
            }
        }

        private void sendNext() throws InterruptedException {
            Event event = events.poll(1, TimeUnit.SECONDS);
            if (event == null) {
                write("heartbeat " + number);
                HEARTBEATS.incrementAndGet();
            } else {
                write(event.who() + " " + event.what());
                SENT.incrementAndGet();
            }
        }

        private void write(String text) throws InterruptedException {
            Thread.sleep(0, 200_000 + text.length());
        }
    }

    static final class Room {
        private final List<Channel> channels = new ArrayList<>();

        void join(Channel channel) {
            channels.add(channel);
        }

        void tell(Event event) {
            for (Channel channel : channels) {
                channel.publish(event);
            }
        }
    }

    /** People come and go: in the first two rooms often, elsewhere seldom. */
    static final class Gateway {
        private final List<Room> rooms;
        private final Random random = new Random(9);
        private int people;

        Gateway(List<Room> rooms) {
            this.rooms = rooms;
        }

        void receive() throws InterruptedException {
            Thread.sleep(10 + random.nextInt(30));
            Room room = random.nextInt(8) > 0 ? rooms.get(random.nextInt(2))
                : rooms.get(random.nextInt(rooms.size()));
            room.tell(new Event("user" + people++, random.nextBoolean() ? "came" : "left"));
        }
    }

    public static void main(String[] arguments) {
        double seconds = Truth.seconds(arguments);
        List<Room> rooms = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            rooms.add(new Room());
        }
        for (int i = 0; i < 150; i++) {
            Channel channel = new Channel(i);
            rooms.get(i % 30).join(channel);
            Truth.virtual("channel-" + i, channel);
        }
        Truth.repeat("gateway", new Gateway(rooms)::receive);
        Truth.sleep(seconds);
        System.out.println(Channel.SENT + " events, " + Channel.HEARTBEATS + " heartbeats");
        Truth.healthy("rooms in which little happens").object().culprit().thread().victims().noShare().say();
    }
}
