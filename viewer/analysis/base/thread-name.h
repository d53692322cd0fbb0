/* Threads that are alike, by their names. Owned by the caller. */
#pragma once

#include <glib.h>

/* "http-nio-8080-exec-*" from "http-nio-8080-exec-12": the last run of digits becomes a star, and
 * so does an address after it: "client-*-SendThread(*)" from "client-6-SendThread(10.0.0.7:2181)",
 * and an address before an "@". Where it is said at the end in which line the thread was made, that
 * stays, and each name before it gets its star: "Ruby-0-Thread-*@worker-*: shop.rb:1". */
char *pm_thread_name_group(const char *thread_name);
