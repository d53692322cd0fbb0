/* The textual form of a path: converts the numbers of classes and fields to names, and formats the
 * lines of an answer (path-request.h). On the sweep, while the JVM runs. */
#pragma once

#include "recorder/agent/allocation/path-search.h"
#include "recorder/agent/hotspot/host.h"

/* JVMTI's index of a field that `declaring` declares, in objects of `class`; -1: none. */
int32_t pm_path_field_index(JNIEnv *env, jvmtiEnv *jvmti, jclass class, jclass declaring,
                            const char *name);

struct pm_path_names {
    JNIEnv *env;
    jvmtiEnv *jvmti; /* classes have their numbers as tags there */
    char *text;
    size_t size, length;
};

void pm_path_names_init(struct pm_path_names *names, JNIEnv *env, jvmtiEnv *jvmti, char *text,
                        size_t size);
void pm_path_names_number(struct pm_path_names *names, const char *word, int64_t number);
/* "step KIND CLASS FIELD INDEX REPEATS THREAD METHOD", then "end CLASS" */
void pm_path_names_steps(struct pm_path_names *names, const struct pm_path_step *steps, size_t n,
                         uint32_t class_n);
/* "referrer KIND CLASS FIELD NUMBER", most frequent first. */
void pm_path_names_referrers(struct pm_path_names *names, const struct pm_path_search *search);
