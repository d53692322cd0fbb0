/* Which code is the program's own, not a library's or the platform's: code that its owner can
 * change.
 *
 * This is the package of the class with main(). Where main() is a launcher's or is not known, it is
 * all code that is not the platform's. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmOwnCode PmOwnCode;

/* Made when first asked for and kept with the recording; any thread. Cost then: one look at each
 * frame. */
const PmOwnCode *pm_own_code(const PmRecording *recording);

/* The package that tells a class's program or library from others, "com.acme." or
 * "org.apache.tomcat."; "" for a class in no package. Owned by the caller. */
char *pm_own_package_root(const char *class_name);

/* The innermost frame of the program's own code; -1 when there is none. */
gint pm_own_frame(const PmOwnCode *own, guint32 chain);
/* The next one outwards of `frame`; -1 when there is none. */
gint pm_own_next(const PmOwnCode *own, const PmRecording *recording, guint32 chain, gint frame);
/* Is that method one that works, sleeps, reads or writes for own methods of several other classes,
 * anywhere in the recording, or one that only sleeps, as its name says? */
gboolean pm_own_is_helper(const PmOwnCode *own, const PmRecording *recording, guint32 chain);

/* Is this method of the program's own code? */
gboolean pm_own_is(const PmOwnCode *own, const PmRecording *recording, guint32 method);

/* Does it wait within one of the platform's queues, whose own lock is held for no longer than it
 * takes to add or to remove an element? */
gboolean pm_label_is_in_queue(const PmRecording *recording, guint32 chain);

/* A stack trace by its own code, and what that was in: "PriceCache.load (PriceCache.java:88) in
 * Socket.read < Shop.show (Shop.java:31)", at most `max` frames, of other classes first where there
 * are more; pm_label_chain's where there is no own code. Owned by the caller. */
char *pm_label_code(const PmRecording *recording, guint32 chain, guint max);
/* The same from a frame outwards. */
char *pm_label_code_from(const PmRecording *recording, guint32 chain, gint frame, guint max);
/* "Prices.load (Prices.java:88) in Http.get in Socket.read < Prices.total (Prices.java:51) < … <
 * Cart.show (Cart.java:17)": a frame of own code, with `inner` what the innermost one was in, its
 * caller, and `last` if that is further out. */
char *pm_label_code_between(const PmRecording *recording, guint32 chain, gboolean inner, gint frame,
                            gint last);
/* " in Socket.read" of the innermost one alone; "" for none. Owned by the caller. */
char *pm_label_call(const PmRecording *recording, guint32 chain);

/* The place of a stack trace in the program: its innermost frame of own code (without own code, its
 * site) and what that frame calls outside of it. The first stack trace at the same place stands for
 * it; pm_label_code of one frame names it. */
guint32 pm_own_place(const PmOwnCode *own, guint32 chain);
/* The frame of that place; method 0 for a stack trace without frames. */
PmFrame pm_own_place_frame(const PmRecording *recording, guint32 chain);
/* "PriceCache.load in Socket.read": a place without its line. Owned by the caller. */
char *pm_label_place_method(const PmRecording *recording, guint32 chain);

/* "PriceCache.load:88" of the innermost frame of own code, else of the site. Owned by the caller.
 */
char *pm_label_code_short(const PmRecording *recording, guint32 chain);
/* "PriceCache.load" of the same; owned by the caller. */
char *pm_label_code_method(const PmRecording *recording, guint32 chain);
