/* Walks over the heap for a path to an object (path-search.h): by JVMTI's FollowReferences, which
 * stops the program for its whole length, until a deadline; with an environment of its own, whose
 * tags are gone with it. On the sweep. */
#pragma once

#include <jni.h>
#include <stdbool.h>

/* Begins what was asked for, goes one walk on, or answers. True: come again soon. */
bool pm_path_work(JNIEnv *env);
