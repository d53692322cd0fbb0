/* Who requests collections: the hook of Runtime.gc, which is called by System.gc, by a JDK that is
 * short of direct memory and by others, leaves a sample of its caller, with the role of an ender
 * and no blocker. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

/* VMInit or later, after the parks. `keep` receives samples, on any thread, at most 50 a second.
 * Leaves no exception pending; if Runtime.gc cannot be hooked, or the JVM ignores it, nothing is
 * reported. */
void pm_explicit_gc_hook(JNIEnv *env, void (*keep)(const struct pm_owner_sample *sample));
