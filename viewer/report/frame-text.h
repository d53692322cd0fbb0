/* Short forms of frames for rows and cards. */
#pragma once

/* Between an object and its site. */
#define PM_FRAME_TEXT_SITE " · "

/* "PriceCache.get:41 < Scheduler.tick:31" of "PriceCache.get (PriceCache.java:41) < Scheduler.tick
 * (Scheduler.java:31)": a file that is named like its class is left out, any other is kept. Accepts
 * any text. Owned by the caller. */
char *pm_frame_text_short(const char *text);
/* A shorter form, omitting what matters least first; NULL if nothing more can be omitted. Outer
 * methods are omitted before inner ones, their outer classes first, a file before its method, an
 * object's number before its site's outer classes, these before those of the object's class, these
 * before that class, of a group the end of its name, never its count: "Shop$Bin 4f3c91d2 ·
 * Shop$Cache.load", "Shop$Bin · Shop$Cache.load", "Shop$Bin · …$Cache.load", "…$Bin ·
 * …$Cache.load", "… · …$Cache.load", "…$Cache.load". Owned by the caller. */
char *pm_frame_text_shorter(const char *text);
/* `text` and all its shorter forms, the longest first. Free with g_strfreev(). */
char **pm_frame_text_forms(const char *text);
/* The same where outer classes tell sites apart: "Cache · Shop$Cache.load", "… · Shop$Cache.load",
 * "Shop$Cache.load", "…$Cache.load". Owned by the caller. */
char *pm_frame_text_shorter_object(const char *text);
/* The same where several objects have one site, and so the object tells them apart: "Cache 4f3c91d2
 * · …$Cache.load", "Cache 4f3c91d2"; then NULL. Owned by the caller. */
char *pm_frame_text_shorter_site(const char *text);
/* The same where an object is asked for by its number, which stays: "Cache 4f3c91d2 ·
 * …$Cache.load", "Cache 4f3c91d2"; what has none is shortened like any other. Owned by the caller.
 */
char *pm_frame_text_shorter_numbered(const char *text);
