import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that write down when each of their own waits began and ended (System.nanoTime, which is
 * CLOCK_MONOTONIC on Linux), so that a recording can be held against it wait by wait: hand-offs, short,
 * middling and long parks, parks without time-out, and Object.wait between parks. Goes on until the
 * file END is there, then writes the file DIARY: of each thread the number of its waits, then of each
 * wait its kind (0 park, 2 Object.wait), begin and end, all as long in the machine's byte order.
 * Thread n of nine is named `diary-n`; each waits for an object of its own, of class Diary$Page.
 * Arguments: DIARY END [virtual]. Virtual threads return at once from a park whose permit was there
 * already, which is no wait; 0, 1 and 7 have such parks.
 */
class Diary implements Runnable {
    static volatile boolean over;
    static final Diary[] all = new Diary[9];

    final int number;
    final Thread thread;
    final Page page = new Page();
    long[] waits = new long[3 << 12];
    int length;

    Diary(int number, boolean virtual) {
        String name = "diary-" + number;
        this.number = number;
        thread = virtual ? Virtual.unstarted(name, this) : new Thread(this, name);
    }

    public static void main(String[] arguments) throws Exception {
        Path end = Path.of(arguments[1]);
        for (int i = 0; i < all.length; i++) {
            all[i] = new Diary(i, arguments.length > 2);
        }
        for (Diary diary : all) {
            diary.thread.start();
        }
        System.out.println("ready");
        for (int i = 0; !Files.exists(end); i++) {
            Thread.sleep(5);
            if (i % 8 == 0) {
                LockSupport.unpark(all[7].thread);
            }
        }
        over = true;
        for (Diary diary : all) {
            while (diary.thread.isAlive()) {
                LockSupport.unpark(diary.thread);
                diary.thread.join(10);
            }
        }
        try (OutputStream out = Files.newOutputStream(Path.of(arguments[0]))) {
            for (Diary diary : all) {
                diary.write(out);
            }
        }
        System.out.println("written");
    }

    @Override
    public void run() {
        SplittableRandom random = new SplittableRandom(number);
        for (int i = 0; !over; i++) {
            if (number == 8 && i % 2 == 1) {
                waitFor(1 + random.nextInt(8));
                continue;
            }
            long nanos = number < 2 ? 2_000_000 // its partner wakes it before
                : number < 4 ? random.nextInt(1, 300_000)
                : number < 6 ? random.nextInt(1_000_000, 10_000_000)
                : number < 7 ? random.nextInt(20_000_000, 200_000_000)
                : number < 8 ? 0 // until main wakes it
                : random.nextInt(1_000_000, 30_000_000);
            if (number < 2) {
                if (i % 16 == 0) {
                    pause(); // a diary has its bounds
                }
                LockSupport.unpark(all[1 - number].thread);
            }
            long begin = System.nanoTime();
            if (nanos > 0) {
                LockSupport.parkNanos(page, nanos);
            } else {
                LockSupport.park(page);
            }
            add(0, begin, System.nanoTime());
        }
    }

    static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void waitFor(long millis) {
        synchronized (page) {
            long begin = System.nanoTime();
            try {
                page.wait(millis);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            add(2, begin, System.nanoTime());
        }
    }

    void add(long kind, long begin, long end) {
        if (length + 3 > waits.length) {
            waits = Arrays.copyOf(waits, 2 * waits.length);
        }
        waits[length++] = kind;
        waits[length++] = begin;
        waits[length++] = end;
    }

    void write(OutputStream out) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(8 + 8 * length).order(ByteOrder.nativeOrder());
        bytes.putLong(length / 3);
        for (int i = 0; i < length; i++) {
            bytes.putLong(waits[i]);
        }
        out.write(bytes.array());
    }

    static class Page {
    }
}
