/* Frames as rows and cards show them, where room is short. */
#pragma once

/* "PriceCache.get:41 < Scheduler.tick:31" of "PriceCache.get (PriceCache.java:41) < Scheduler.tick
 * (Scheduler.java:31)": a file that is named like its class is left out, any other stays. Any text
 * may be given. Owned by the caller. */
char *pm_frame_text_short(const char *text);
