/* The search for what keeps an object alive: a path from a GC root to one of the target objects,
 * assembled from the references that heap walks report one by one.
 *
 * Not every object is stored, only nodes, at most PM_PATH_NODES: objects near a root, with costs
 * that prefer the program's own classes; and, backwards from the targets, objects that refer to
 * them, at least one more step in each walk. Where the two meet, there is a path. Objects of one
 * class that refer to each other through a field, as in a linked list, share a node. One thread.
 * Makes no JVM calls. */
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
    int32_t index;       /* of a field, as JVMTI numbers them; of an element */
    uint32_t from_class; /* numbers from the caller; for a static field, of the class that has it */
    uint32_t to_class;
    uint32_t length; /* of the referred object, if it is an array */
    uint64_t size;   /* of what is referred to, in bytes */
    bool of_program; /* `from_class` is not a platform class */
    bool to_leaf;    /* the referred object refers to nothing relevant */
    bool to_wanted;  /* it is of the class that is looked for, */
    bool to_any;     /* or it is looked for whatever it is of */
    struct pm_path_place place;
    uint32_t from, to; /* their nodes; 0: none. Set by pm_path_take if it creates them */
    bool moves; /* set: `to` takes over the node of `from`, which no longer needs it once it is
                 * visited */
};

/* Starting at the root; for the target, its class. */
struct pm_path_step {
    enum pm_path_kind kind;
    int32_t index;
    uint32_t from_class;
    bool repeats; /* any number of such steps, including none: along a list */
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

/* A node for a target; 0: there are already PM_PATH_TARGETS. Before the first walk; references with
 * `to_wanted` add more. */
uint32_t pm_path_add_target(struct pm_path_search *search, uint32_t class_n);
void pm_path_begin_walk(struct pm_path_search *search);
/* One strong reference. */
void pm_path_take(struct pm_path_search *search, struct pm_path_reference *reference);
/* Whether another walk could find anything. */
bool pm_path_wants_walk(const struct pm_path_search *search);

/* The most common path, shared by `*ret_alike` targets: its steps from the root to an object of
 * `*ret_class`. Returns the number of steps; if there are more than `max`, those in the middle are
 * left out. 0: no path was found; the `*ret_broken` steps then start at the most distant object
 * known to lead to a target. */
size_t pm_path_best(const struct pm_path_search *search, struct pm_path_step *ret_steps, size_t max,
                    uint32_t *ret_class, uint32_t *ret_alike, size_t *ret_broken);

/* How many of the targets were reachable; the others were garbage. */
uint32_t pm_path_n_targets(const struct pm_path_search *search);
/* What referred to targets in the first walk, in no order, at most PM_PATH_REFERRERS entries; the
 * rest is counted in `*ret_others`. */
const struct pm_path_referrer *pm_path_referrers(const struct pm_path_search *search,
                                                 uint64_t *ret_others);
