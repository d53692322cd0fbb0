#include "viewer/ui/model/levels.h"

const PmTreePreset pm_tree_presets[] = {
    {"On what", 3, {PM_ASPECT_ALIKE, PM_ASPECT_BLOCKER, PM_ASPECT_SITE}},
    {"Who causes it", 2, {PM_ASPECT_CAUSE_SITE, PM_ASPECT_SITE}},
    {"Where", 2, {PM_ASPECT_SITE, PM_ASPECT_CHAIN}},
    {"Class", 3, {PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_CHAIN}},
    {"Who wakes", 2, {PM_ASPECT_WAKER_SITE, PM_ASPECT_BLOCKER}},
    {"Who waits", 3, {PM_ASPECT_GROUP, PM_ASPECT_THREAD, PM_ASPECT_BLOCKER}},
};
const guint pm_n_tree_presets = G_N_ELEMENTS(pm_tree_presets);

#define AGE ((PmAspect)PM_MEMORY_AGE)

const PmTreePreset pm_memory_presets[] = {
    {"Who allocates", 4, {PM_ASPECT_ACCOUNT, PM_ASPECT_CLASS, PM_ASPECT_SITE, PM_ASPECT_CHAIN}},
    {"On whose behalf", 3, {PM_ASPECT_PRINCIPAL, PM_ASPECT_ACCOUNT, PM_ASPECT_CLASS}},
    {"Class", 3, {PM_ASPECT_CLASS, PM_ASPECT_SITE, PM_ASPECT_CHAIN}},
    {"Where", 3, {PM_ASPECT_SITE, PM_ASPECT_CLASS, PM_ASPECT_CHAIN}},
    {"Which threads", 3, {PM_ASPECT_GROUP, PM_ASPECT_THREAD, PM_ASPECT_CLASS}},
    {"How old", 3, {AGE, PM_ASPECT_CLASS, PM_ASPECT_SITE}},
};
const guint pm_n_memory_presets = G_N_ELEMENTS(pm_memory_presets);

static const char *memory_name(PmAspect aspect)
{
    PmMemoryAspect known;
    const char *name = pm_memory_aspect_name((PmMemoryAspect)aspect);

    return pm_memory_aspect_parse(name, &known) ? name : NULL;
}

static const char *memory_title(PmAspect aspect)
{
    return aspect == AGE ? "Age" : pm_aspect_title(aspect);
}

static const char *wait_name(PmAspect aspect)
{
    return aspect < PM_N_ASPECTS ? pm_aspect_name(aspect) : NULL;
}

const PmLevels pm_levels_of_waits = {pm_tree_presets,      &pm_n_tree_presets,   PM_CHANGE_ASPECTS,
                                     pm_state_get_aspects, pm_state_set_aspects, wait_name,
                                     pm_aspect_title};
const PmLevels pm_levels_of_memory = {pm_memory_presets,
                                      &pm_n_memory_presets,
                                      PM_CHANGE_MEMORY,
                                      pm_state_get_memory_aspects,
                                      pm_state_set_memory_aspects,
                                      memory_name,
                                      memory_title};
