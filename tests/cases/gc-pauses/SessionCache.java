import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A web server keeps all sessions of the last minutes in a map under a lock; there are so many
 * that the heap is nearly full, and each full collection finds little to free. Request threads
 * put sessions and look them up; a mailer thread gets jobs by a queue.
 *
 * FLAGS: -XX:+UseSerialGC -Xms160m -Xmx160m -Xmn24m
 *
 * Problem: SessionCache keeps too much, so that the program stands still for collections most of
 * the time. Truth: what waits there is, is the pauses'. Measured: the time of collections, as the
 * JVM tells it, against the time that the program ran.
 */
final class SessionCache {
    private final Map<Long, Session> sessions = new LinkedHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    record Session(long id, byte[][] attributes) {
    }

    public static void main(String[] arguments) {
        SessionCache cache = new SessionCache();
        while (cache.size() < 250_000) {
            cache.open(new Random(cache.size()).nextLong());
        }
        ArrayBlockingQueue<Long> mails = new ArrayBlockingQueue<>(50);
        Truth.daemon("mailer", () -> mail(mails)).start();
        for (int i = 1; i <= 8; i++) {
            Random random = new Random(i);
            Truth.daemon("http-" + i, () -> serve(cache, mails, random)).start();
        }
        long begin = System.nanoTime();
        double before = collecting();
        Truth.sleep(Truth.seconds(arguments));
        double share = (collecting() - before) / ((System.nanoTime() - begin) / 1e9);
        Truth.of("the heap is nearly full of sessions, and the program stands still for full "
            + "collections most of the time")
            .object("GC", "garbage collection", "safepoint", "ReentrantLock")
            .culprit("SessionCache.open", "SessionCache.keep", "SessionCache.attributes")
            .thread("http-*").victims("http-*", "mailer")
            .share(share, "the run's time, in stop-the-world collections").say();
    }

    static double collecting() {
        long millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += bean.getCollectionTime();
        }
        return millis / 1000.0;
    }

    private static void serve(SessionCache cache, ArrayBlockingQueue<Long> mails, Random random) {
        while (true) {
            Truth.sleep(0.002 + 0.003 * random.nextDouble());
            for (int i = 0; i < 150; i++) {
                cache.open(random.nextLong());
            }
            mails.offer((long) cache.size());
        }
    }

    private static void mail(ArrayBlockingQueue<Long> mails) {
        try {
            while (mails.take() > 0) {
                Thread.sleep(1);
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    private void open(long id) {
        keep(new Session(id, attributes((int) (id & 3))));
    }

    private static byte[][] attributes(int more) {
        byte[][] attributes = new byte[6 + more][];
        for (int i = 0; i < attributes.length; i++) {
            attributes[i] = new byte[8 * (i % 3)];
        }
        return attributes;
    }

    private void keep(Session session) {
        lock.lock();
        try {
            sessions.put(session.id(), session);
            if (sessions.size() > 250_000) {
                sessions.remove(sessions.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    private int size() {
        lock.lock();
        try {
            return sessions.size();
        } finally {
            lock.unlock();
        }
    }
}
