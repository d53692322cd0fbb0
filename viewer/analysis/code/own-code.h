/* Which code is the program's own rather than a library's or the platform's: code that its owner
 * can change.
 *
 * This is the package of the class with main(), with others that are named after no domain if that
 * is not, either. If main() is in no package, is unknown or belongs to a launcher, whose code is in
 * almost no stack trace, it is all code outside the platform but that of known servers, frameworks
 * and libraries, if there is any other. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmOwnCode PmOwnCode;

/* Computed on first use and stored with the recording; any thread. Cost then: one check of each
 * frame. */
const PmOwnCode *pm_own_code(const PmRecording *recording);

/* The package prefix that identifies a class's program or library, "com.acme.",
 * "org.apache.tomcat." or, where that is no domain, "shop."; "" for a class without a package.
 * Owned by the caller. */
char *pm_own_package_root(const char *class_name);

/* The innermost frame of the program's own code; -1 if there is none. */
gint pm_own_frame(const PmOwnCode *own, guint32 chain);
/* Is it so deep that the program's code in it was cut off? */
gboolean pm_own_is_cut_off(const PmOwnCode *own, const PmRecording *recording, guint32 chain);
/* The next one outward of `frame`; -1 if there is none. */
gint pm_own_next(const PmOwnCode *own, const PmRecording *recording, guint32 chain, gint frame);
/* Whether it only stands between a program and what that calls: reflection, and what runs another
 * language than Java. */
gboolean pm_own_is_on_the_way(const PmRecording *recording, guint32 method);
/* Whether the method of an own frame is a helper: the innermost one, if it works, sleeps, reads or
 * writes for own methods of several other classes, anywhere in the recording, or only sleeps or
 * spins, as its name says; and the one that calls that, if it does so for several. */
gboolean pm_own_is_helper(const PmOwnCode *own, const PmRecording *recording, guint32 chain,
                          gint frame);

/* Whether a frame only leads to the program's own code further in: the platform's, a library's, or,
 * where nothing tells which code is the program's own, a well-known server's. */
gboolean pm_own_is_around(const PmOwnCode *own, const PmRecording *recording, guint32 chain,
                          gint frame);

/* Whether code of a library, or a pool's, calls the outermost own method: a task or a listener. */
gboolean pm_own_is_called_back(const PmOwnCode *own, const PmRecording *recording, guint32 chain);

/* Does it stand in select, accept and the like, or until a process ends, with nothing of the
 * program's own around it? */
gboolean pm_own_waits_for_outside(const PmOwnCode *own, const PmRecording *recording,
                                  guint32 chain);

/* Is this method of the program's own code? */
gboolean pm_own_is(const PmOwnCode *own, const PmRecording *recording, guint32 method);

/* Whether it waits inside one of the platform's queues, whose internal lock is held only to add or
 * remove an element. */
gboolean pm_label_is_in_queue(const PmRecording *recording, guint32 chain);

/* The own code of a stack trace, and the call it is in: "PriceCache.load (PriceCache.java:88) in
 * Socket.read < Shop.show (Shop.java:31)", at most `max` frames, preferring other classes if there
 * are more, behind the method by which the first was entered; a library's code likewise if there is
 * no own code; else pm_label_chain's result. Owned by the caller. */
char *pm_label_code(const PmRecording *recording, guint32 chain, guint max);
/* The same from a frame outwards. */
char *pm_label_code_from(const PmRecording *recording, guint32 chain, gint frame, guint max);
/* "Client.cleanup": the library's method that pm_label_code tells first; NULL: there is own code,
 * or none but the platform's. Owned by the caller. */
char *pm_label_library_method(const PmRecording *recording, guint32 chain);
/* "Prices.load (Prices.java:88) in Http.get in Socket.read < Prices.total (Prices.java:51) < … <
 * Cart.show (Cart.java:17)": a frame of own code, with `inner` the call that the innermost one is
 * in, its caller, and `last` if that is further out. */
char *pm_label_code_between(const PmRecording *recording, guint32 chain, gboolean inner, gint frame,
                            gint last);
/* " in Socket.read" for the innermost one alone; "" for none. Owned by the caller. */
char *pm_label_call(const PmRecording *recording, guint32 chain);

/* The place of a stack trace in the program: its innermost frame of own code (or, without own code,
 * the one by which a library calls the platform; else its site) and the call it makes out of it.
 * The first stack trace at the same place represents it; pm_label_code with one frame names it. */
guint32 pm_own_place(const PmOwnCode *own, guint32 chain);
/* The frame of that place; method 0 for a stack trace without frames. */
PmFrame pm_own_place_frame(const PmRecording *recording, guint32 chain);
/* "PriceCache.load in Socket.read": a place without its line. Owned by the caller. */
char *pm_label_place_method(const PmRecording *recording, guint32 chain);

/* "PriceCache.load:88" for the frame of its place. Owned by the caller. */
char *pm_label_code_short(const PmRecording *recording, guint32 chain);
/* "PriceCache.load" of the same; owned by the caller. */
char *pm_label_code_method(const PmRecording *recording, guint32 chain);
