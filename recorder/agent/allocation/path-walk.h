/* Heap walks for a path to an object (path-search.h), with JVMTI's FollowReferences, which stops
 * the program for its whole duration, until a deadline; in a separate environment, whose tags
 * disappear with it. On the sweep. */
#pragma once

#include <jni.h>
#include <stdbool.h>

/* Starts a requested search, performs its next walk, or answers. True: call again soon. */
bool pm_path_work(JNIEnv *env);
