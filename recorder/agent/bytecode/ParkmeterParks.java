package java.util.concurrent.locks;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import jdk.internal.access.JavaLangAccess;
import jdk.internal.access.SharedSecrets;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.Continuation;
import jdk.internal.vm.StackChunk;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What LockSupport calls, once the recorder has rewritten it, in place of JavaLangAccess (JDK 21 to 23:
 * VirtualThreads) when a virtual thread parks or is unparked: the natives begin and end a wait and note who ends it. They return before
 * the thread yields, so that nothing is pinned. The recorder defines this class in the boot loader; its
 * bytes are those of parks-class.h.
 *
 * The frames of a virtual thread that are not on its carrier's stack lie frozen in chunks on the heap. As
 * natives cannot read those while a GC may move them, they are told apart here: by `frozen`, the number of
 * a list of words that frozen.h has learnt, compared with the very words.
 *
 * The JVM writes to a continuation's first chunk only, and lets go of that one before it writes to the
 * next. So while an empty chunk is the first one, all behind it stay as they are: an object of this class
 * remembers, by that chunk, the list that fitted them.
 */
final class ParkmeterParks extends WeakReference<Object> {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final Class<?> VIRTUAL;
    private static final long CONT, PERMIT, TAIL, PARENT, SIZE, SP;
    /** Where a chunk's frames end; JDK 21: how many words of arguments lie behind that. */
    private static final long BOTTOM;
    private static final boolean IS_BOTTOM;
    private static final int BYTES_OF_REFERENCE = U.arrayIndexScale(Object[].class);

    static {
        try {
            VIRTUAL = Class.forName("java.lang.VirtualThread", false, null);
        } catch (ClassNotFoundException e) {
            throw new InternalError(e);
        }
        CONT = U.objectFieldOffset(VIRTUAL, "cont");
        PERMIT = U.objectFieldOffset(VIRTUAL, "parkPermit");
        TAIL = U.objectFieldOffset(Continuation.class, "tail");
        PARENT = U.objectFieldOffset(StackChunk.class, "parent");
        SIZE = U.objectFieldOffset(StackChunk.class, "size");
        SP = U.objectFieldOffset(StackChunk.class, "sp");
        long bottom;
        boolean isBottom = true;
        try {
            bottom = U.objectFieldOffset(StackChunk.class, "bottom");
        } catch (InternalError e) {
            bottom = U.objectFieldOffset(StackChunk.class, "argsize");
            isBottom = false;
        }
        BOTTOM = bottom;
        IS_BOTTOM = isBottom;
    }

    /**
     * Set by the recorder before anything is called: where its gate is, the table of lists, and the last
     * place at which a chunk of a list may begin.
     */
    static long gate, table, last;
    /** Where the words of a chunk begin; 0: not known yet, less: never. */
    private static long words;

    // As in frozen.h.
    private static final int SETS = 1024, WAYS = 4, ENTRY = 32, KEY = 8, LIST = 16, MAX_PAIRS = 8192;
    private static final int END = 0, ANY = -1;
    private static final long NONE = 0, UNKNOWN = -1;

    private static final int N_BEHIND = 16384, REPLACED = 16;
    /** By thread. */
    private static final ParkmeterParks[] BEHIND = new ParkmeterParks[N_BEHIND];
    private static int refused;

    /** The list that fits what lies behind this empty chunk. */
    private final long list;

    private ParkmeterParks(Object first, long list) {
        super(first);
        this.list = list;
    }

    /** The wait, to be ended; 0: it is not. */
    private static native long begin(Thread thread, long tid, boolean isNamed, Object blocker, long nanos,
            long frozen);

    private static native void end(long wait, long tid, boolean interrupted);
    /** It has parked, or found its permit, and that is not recorded. */
    private static native void pass(long tid);
    /** A note of it, while the thread does not wait; 0: there is none. */
    private static native long wake(long tid, Thread thread, Thread waker, long wakerTid, boolean isNamed, long frozen);
    /** What the note tells has been done: the thread has its permit. */
    private static native void given(long note);
    private static native long layout(Object chunk, int size, int bytesOfReference);
    /** Memory of the carrier's own for that many words; 0: there is none. */
    private static native long scratch(int n);
    private static native long learn(long key, long copy);

    @Hidden
    static void park(JavaLangAccess access) {
        Thread thread;
        if (isOff() || (thread = Thread.currentThread()).getClass() != VIRTUAL) {
            access.parkVirtualThread(); // bound to a platform thread, it parks as one
            return;
        }
        long tid = thread.threadId();
        long wait = isWait(thread)
                ? begin(thread, tid, isNamed(thread), LockSupport.getBlocker(thread), Long.MAX_VALUE, frozen(thread))
                : 0;
        if (wait == 0) {
            access.parkVirtualThread();
            pass(tid); // what it was woken by is not the permit of its next wait
            return;
        }
        try {
            access.parkVirtualThread();
        } finally {
            end(wait, tid, thread.isInterrupted());
        }
    }

    @Hidden
    static void park(JavaLangAccess access, long nanos) {
        Thread thread;
        if (isOff() || (thread = Thread.currentThread()).getClass() != VIRTUAL) {
            access.parkVirtualThread(nanos); // bound to a platform thread, it parks as one
            return;
        }
        long tid = thread.threadId();
        long wait = nanos > 0 && isWait(thread)
                ? begin(thread, tid, isNamed(thread), LockSupport.getBlocker(thread), nanos, frozen(thread))
                : 0;
        if (wait == 0) {
            access.parkVirtualThread(nanos);
            pass(tid); // what it was woken by is not the permit of its next wait
            return;
        }
        try {
            access.parkVirtualThread(nanos);
        } finally {
            end(wait, tid, thread.isInterrupted());
        }
    }

    @Hidden
    static void unpark(JavaLangAccess access, Thread thread) {
        long note = 0;
        if (!isOff() && thread.getClass() == VIRTUAL) {
            Thread waker = Thread.currentThread();
            note = wake(thread.threadId(), thread, waker, waker.threadId(), isNamed(waker), frozen(waker));
        }
        if (note == 0) {
            access.unparkVirtualThread(thread);
            return;
        }
        try {
            access.unparkVirtualThread(thread);
        } finally {
            given(note);
        }
    }

    // In place of jdk.internal.misc.VirtualThreads: one frame more, which the recorder knows of.

    @Hidden
    static void park() {
        park(SharedSecrets.getJavaLangAccess());
    }

    @Hidden
    static void park(long nanos) {
        park(SharedSecrets.getJavaLangAccess(), nanos);
    }

    @Hidden
    static void parkUntil(long deadline) {
        park(SharedSecrets.getJavaLangAccess(),
                TimeUnit.MILLISECONDS.toNanos(deadline - System.currentTimeMillis()));
    }

    @Hidden
    static void unpark(Thread thread) {
        unpark(SharedSecrets.getJavaLangAccess(), thread);
    }

    @Hidden
    private static boolean isOff() {
        return U.getByte(gate) == 0;
    }

    @Hidden
    private static boolean isNamed(Thread thread) {
        return !thread.getName().isEmpty();
    }

    /** Not with a permit, nor when it is interrupted: it does not stop then. */
    @Hidden
    private static boolean isWait(Thread thread) {
        return !U.getBooleanVolatile(thread, PERMIT) && !thread.isInterrupted();
    }

    private static int bottom(Object chunk) {
        int value = U.getInt(chunk, BOTTOM);
        return IS_BOTTOM ? value : U.getInt(chunk, SIZE) - value;
    }

    private static boolean isEmpty(Object chunk) {
        return U.getInt(chunk, SP) == bottom(chunk);
    }

    /** This chunk or the next one that holds frames. */
    private static Object filled(Object chunk) {
        while (chunk != null && isEmpty(chunk)) {
            chunk = U.getReference(chunk, PARENT);
        }
        return chunk;
    }

    /** The number of the list that fits the frozen frames of the current thread. */
    @DontInline
    @Hidden
    private static long frozen(Thread thread) {
        if (thread.getClass() != VIRTUAL) {
            return NONE;
        }
        Object cont = U.getReference(thread, CONT);
        Object first = cont == null ? null : U.getReference(cont, TAIL);
        if (first == null || !isEmpty(first)) {
            return first == null ? NONE : list(first);
        }
        Object chunk = filled(U.getReference(first, PARENT));
        if (chunk == null) {
            return NONE;
        }
        int at = (int) thread.threadId() & N_BEHIND - 1;
        ParkmeterParks behind = BEHIND[at];
        if (behind != null && behind.refersTo(first) && isKept(behind.list)) {
            return behind.list;
        }
        long list = list(chunk);
        if (list > NONE && (behind == null || behind.refersTo(first) || behind.refersTo(null)
                || ++refused % REPLACED == 0)) {
            try {
                BEHIND[at] = new ParkmeterParks(first, list);
            } catch (OutOfMemoryError e) {
                // it is compared again next time
            }
        }
        return list;
    }

    private static boolean isKept(long list) {
        return U.getLongVolatile(null, table + (list & SETS * WAYS - 1) * ENTRY) == list;
    }

    /** The number of the list that fits these chunks. */
    private static long list(Object chunk) {
        int size = U.getInt(chunk, SIZE), sp = U.getInt(chunk, SP);
        if (words <= 0 && (words < 0 || (words = layout(chunk, size, BYTES_OF_REFERENCE)) <= 0)) {
            return UNKNOWN;
        }
        long key = (U.getLong(chunk, words + 8L * (sp - 1)) * 31 + (size - sp)) * 0x9e3779b97f4a7c15L;
        long entry = table + (key >>> 40 & SETS - 1) * (WAYS * ENTRY);
        for (int way = 0; way < WAYS; way++, entry += ENTRY) {
            long id = U.getLongVolatile(null, entry);
            if (id != 0 && U.getLong(entry + KEY) == key && fits(chunk, U.getLong(entry + LIST))) {
                U.loadFence(); // it may have been replaced meanwhile
                if (U.getLong(entry) == id) {
                    return id;
                }
            }
        }
        long copy = copy(chunk);
        return copy == 0 ? UNKNOWN : learn(key, copy);
    }

    /** The words of a chunk, and those in use: what its frames are found by. */
    private static long extent(Object chunk) {
        long sp = U.getInt(chunk, SP);
        return U.getInt(chunk, SIZE) - sp << 32 | bottom(chunk) - sp;
    }

    /**
     * A list is, for each chunk, {extent, pairs}, then the pairs {bytes from its top, word}; then END or
     * ANY. It may be replaced while it is read: what is not a list leads nowhere.
     */
    private static boolean fits(Object chunk, long at) {
        for (; at <= last; chunk = filled(U.getReference(chunk, PARENT))) {
            long extent = U.getLong(at), n = U.getLong(at + 8);
            if (extent == ANY || extent == END) {
                return extent == ANY || chunk == null;
            }
            at += 16;
            if (chunk == null || extent != extent(chunk) || n < 0 || n > MAX_PAIRS || at + 16 * n > last) {
                return false;
            }
            long top = words + 8L * U.getInt(chunk, SP), bytes = (extent >>> 32) * 8, differ = 0;
            for (int i = 0; i < (int) n; i++) {
                long offset = U.getLong(at + 16L * i);
                if (Long.compareUnsigned(offset + 16, bytes + 16) >= 0) {
                    return false;
                }
                differ |= U.getLong(chunk, top + offset) ^ U.getLong(at + 16L * i + 8);
            }
            at += 16 * n;
            if (differ != 0) {
                return false;
            }
        }
        return false;
    }

    private static final int MAX_COPY = 8192, HEAD = 2;

    /** Its chunks: {extent, words that follow}, and these, from two above its top on; then END or ANY. */
    private static long copy(Object chunk) {
        long copy = scratch(MAX_COPY + HEAD + 1);
        int n = 0;
        for (; copy != 0 && chunk != null && n < MAX_COPY; chunk = filled(U.getReference(chunk, PARENT))) {
            int size = U.getInt(chunk, SIZE), sp = U.getInt(chunk, SP);
            int copied = Math.min(size - sp + 2, MAX_COPY - n);
            U.putLong(copy + 8L * n++, extent(chunk));
            U.putLong(copy + 8L * n++, copied);
            for (int i = 0; i < copied; i++) {
                U.putLong(copy + 8L * n++, U.getLong(chunk, words + 8L * (sp - 2 + i)));
            }
        }
        if (copy != 0) {
            U.putLong(copy + 8L * n, chunk == null ? END : ANY);
        }
        return copy;
    }
}
