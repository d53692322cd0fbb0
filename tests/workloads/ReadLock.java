import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Readers that stand behind a writer and wake each other. Arguments: rounds (0 = until killed). */
class ReadLock {
    static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();

    public static void main(String[] arguments) throws InterruptedException {
        long rounds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        System.out.println("ready");
        for (long i = 0; rounds == 0 || i < rounds; i++) {
            Thread[] readers = new Thread[4];
            long asked = Witness.now();
            LOCK.writeLock().lock();
            try {
                long begin = Witness.now();
                for (int j = 0; j < readers.length; j++) {
                    readers[j] = new Thread(ReadLock::read, "reader-" + (j + 1));
                    readers[j].start();
                }
                write();
                Witness.held("lock", asked, begin, Witness.now());
            } finally {
                LOCK.writeLock().unlock();
            }
            for (Thread reader : readers) {
                reader.join();
            }
        }
        Witness.tell();
    }

    static void write() throws InterruptedException {
        Thread.sleep(20);
    }

    static void read() {
        long asked = Witness.now();
        LOCK.readLock().lock();
        try {
            long begin = Witness.now();
            Witness.held("lock", asked, begin, Witness.now());
        } finally {
            LOCK.readLock().unlock();
        }
    }
}
