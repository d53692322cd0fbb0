/* Who asks for collections: Runtime.gc, as System.gc, a JDK that is short of direct memory and
 * others call it, leaves a sample of its caller, the role that of an ender and no blocker. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

/* VMInit or later, after the parks. `keep` takes samples, of any thread, 50 a second at most.
 * Leaves no exception; where Runtime.gc cannot be hooked, or the JVM ignores it, nothing is
 * told. */
void pm_explicit_gc_hook(JNIEnv *env, void (*keep)(const struct pm_owner_sample *sample));
