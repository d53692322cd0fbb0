#include "viewer/analysis/aggregation/part.h"

#include "viewer/analysis/recording/recording-private.h"

gboolean pm_aspect_is_split(PmAspect aspect)
{
    switch (aspect) {
    case PM_ASPECT_CAUSE:
    case PM_ASPECT_CAUSE_CHAIN:
    case PM_ASPECT_CAUSE_SITE:
    case PM_ASPECT_OWNER:
    case PM_ASPECT_OWNER_CHAIN:
    case PM_ASPECT_OWNER_SITE:
        return TRUE;
    default:
        return FALSE;
    }
}

guint64 pm_part_key(const PmRecording *recording, PmAspect aspect, const PmPart *part)
{
    gboolean owners = aspect == PM_ASPECT_OWNER || aspect == PM_ASPECT_OWNER_CHAIN ||
                      aspect == PM_ASPECT_OWNER_SITE;
    switch (part->kind) {
    case PM_CAUSE_OWNER:
        break;
    case PM_CAUSE_HAND_OVER:
        return pm_pseudo_key(PM_PSEUDO_HAND_OVER);
    case PM_CAUSE_GC_PAUSE:
        return pm_pseudo_key(PM_PSEUDO_GC_PAUSE);
    case PM_CAUSE_WAKER:
        if (owners)
            return 0;
        break;
    case PM_CAUSE_TIME_OUT:
        return owners ? 0 : pm_pseudo_key(PM_PSEUDO_TIME_OUT);
    case PM_CAUSE_INTERRUPT:
        return owners ? 0 : pm_pseudo_key(PM_PSEUDO_INTERRUPT);
    case PM_CAUSE_ARRIVAL:
        return owners ? 0 : pm_pseudo_key(PM_PSEUDO_ARRIVAL);
    case PM_CAUSE_STILL_WAITING:
        return owners ? 0 : pm_pseudo_key(PM_PSEUDO_STILL_WAITING);
    case PM_CAUSE_UNKNOWN:
    case PM_N_CAUSES:
        return owners ? 0 : pm_pseudo_key(PM_PSEUDO_UNKNOWN);
    }
    switch (aspect) {
    case PM_ASPECT_CAUSE:
    case PM_ASPECT_OWNER:
        return part->thread;
    case PM_ASPECT_CAUSE_CHAIN:
    case PM_ASPECT_OWNER_CHAIN:
        return part->chain != 0 ? part->chain : pm_pseudo_key(PM_PSEUDO_UNKNOWN);
    default:
        return part->chain != 0 ? pm_recording_private(recording)->chain_site[part->chain]
                                : pm_pseudo_key(PM_PSEUDO_UNKNOWN);
    }
}
