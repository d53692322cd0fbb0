/* The request for a path (path-search.h) and its answer, between the control thread and the sweep,
 * which searches. One at a time. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_PATH_BIRTHS   32
#define PM_PATH_NAME_MAX 1024
#define PM_PATH_TEXT_MAX 15360
#define PM_PATH_STOP_MAX INT64_C(60000000000) /* all walks together, whatever was asked */

struct pm_path_request {
    int64_t stop_ns;                   /* how long all walks together may stop the program */
    char class_name[PM_PATH_NAME_MAX]; /* what is looked for; else empty: */
    uint32_t n_births;                 /* the samples that were taken at these times */
    int64_t births[PM_PATH_BIRTHS];
};

/* "MILLISECONDS CLASS" or "MILLISECONDS @NS,NS,…", of times since `begin_ns`; false: `*ret_why`. */
bool pm_path_ask(const char *arguments, int64_t begin_ns, const char **ret_why);
/* "running", or "done" and the answer: lines of a word and values between tabs. */
void pm_path_read(char *ret_text, size_t size);

/* ---- the sweep ---- */
bool pm_path_next(struct pm_path_request *ret_request); /* then it is to be answered */
void pm_path_answer(const char *text);
