/* The search for what keeps an object: a path from a root of the collector to one of some objects
 * that are looked for, put together from the references that walks over the heap tell one by one.
 *
 * Not every object is remembered, only nodes, PM_PATH_NODES at most: what is near a root, by costs
 * that prefer the program's own; and backwards from what is looked for whatever refers to it, one
 * step further in each walk at least. Where the two meet there is a path. Objects of one class that
 * follow each other by a field, as in a linked list, share a node. One thread. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_PATH_NODES     (1u << 17)
#define PM_PATH_SHARED    (1u << 17) /* objects that share a node with another one */
#define PM_PATH_TARGETS   64
#define PM_PATH_REFERRERS 256

enum pm_path_kind {
    PM_PATH_STATIC, /* roots from here: a static field */
    PM_PATH_LOCAL,  /* of a method that a thread is in */
    PM_PATH_JNI_LOCAL,
    PM_PATH_THREAD,
    PM_PATH_MONITOR,
    PM_PATH_JNI_GLOBAL,
    PM_PATH_SYSTEM_CLASS,
    PM_PATH_OTHER_ROOT,
    PM_PATH_FIELD, /* objects from here */
    PM_PATH_ELEMENT,
    PM_PATH_STATIC_OF, /* a static field of a class that can be unloaded: the class refers */
    PM_PATH_CLASS_OF,  /* an object keeps its class, */
    PM_PATH_LOADER_OF, /* a class its loader, */
    PM_PATH_OF_CLASS,  /* and what else belongs to it */
    PM_PATH_KINDS
};
extern const char *const pm_path_kind_names[PM_PATH_KINDS];

/* Where a root is. */
struct pm_path_place {
    int64_t tid;      /* of the thread; 0: none */
    void *method;     /* a jmethodID */
    int64_t location; /* in it */
};

struct pm_path_reference {
    enum pm_path_kind kind;
    int32_t index;       /* of a field, as JVMTI counts; of an element */
    uint32_t from_class; /* numbers of the caller's: of a static field the class that has it */
    uint32_t to_class;
    uint32_t length; /* of what is referred to, if that is an array */
    uint64_t size;   /* of what is referred to, in bytes */
    bool of_program; /* `from_class` is no class of the platform's */
    bool to_leaf;    /* what is referred to refers to nothing that matters */
    bool to_wanted;  /* it is of the class that is looked for, */
    bool to_any;     /* or it is looked for whatever it is of */
    struct pm_path_place place;
    uint32_t from, to; /* their nodes; 0: none. Set by pm_path_take where it makes them */
    bool moves; /* set: `to` has the node of `from`, which needs it no more once it is visited */
};

/* From the root on; of what is looked for, the class. */
struct pm_path_step {
    enum pm_path_kind kind;
    int32_t index;
    uint32_t from_class;
    bool repeats; /* any number of such steps, none as well: along a list */
    struct pm_path_place place;
};

struct pm_path_referrer {
    enum pm_path_kind kind;
    int32_t index;
    uint32_t from_class;
    uint64_t n; /* 0: a free place */
};

struct pm_path_search;

struct pm_path_search *pm_path_new(void); /* NULL: no memory */
void pm_path_free(struct pm_path_search *search);

/* A node of an object that is looked for; 0: there are PM_PATH_TARGETS. Before the first walk;
 * references of `to_wanted` make more of them. */
uint32_t pm_path_add_target(struct pm_path_search *search, uint32_t class_n);
void pm_path_begin_walk(struct pm_path_search *search);
/* One reference that keeps what it refers to. */
void pm_path_take(struct pm_path_search *search, struct pm_path_reference *reference);
/* Is there anything that another walk could find? */
bool pm_path_wants_walk(const struct pm_path_search *search);

/* The path of which most targets have one like it, `*ret_alike` of them: its steps from the root to
 * an object of `*ret_class`. Returns how many there are; where they are more than `max` those in
 * the middle are left out. 0: none was found; then the steps are `*ret_broken` from the object
 * furthest back that is known to lead to a target. */
size_t pm_path_best(const struct pm_path_search *search, struct pm_path_step *ret_steps, size_t max,
                    uint32_t *ret_class, uint32_t *ret_alike, size_t *ret_broken);

/* How many of the targets were referred to: the others were garbage. */
uint32_t pm_path_n_targets(const struct pm_path_search *search);
/* Who referred to objects that are looked for in the first walk, PM_PATH_REFERRERS places in no
 * order; what found no place is `*ret_others`. */
const struct pm_path_referrer *pm_path_referrers(const struct pm_path_search *search,
                                                 uint64_t *ret_others);
