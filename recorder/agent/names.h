/* The tables of classes and methods, interned by what they are called: two classes of one name (of
 * two loaders) are one row, overloads of one method too (lines tell them apart). Append-only and
 * bounded; lock-free to read; adding takes a lock and calls nothing. Free of JVM. */
#pragma once

#include "format/record.h"

int pm_names_init(void); /* 0 or PM_ERROR_MEMORY */
void pm_names_clear(void);

/* `name` as in source, "java.util.concurrent.locks.ReentrantLock$NonfairSync". 0 when full. */
pm_class_id pm_class_add(const char *name);
/* `file` may be NULL. 0 when full. */
pm_method_id pm_method_add(pm_class_id class_id, const char *name, const char *file);

/* Texts stay where they are for ever. */
bool pm_class_get(pm_class_id id, struct pm_class *ret_class);
bool pm_method_get(pm_method_id id, struct pm_method *ret_method);

/* Turns "Ljava/util/List;" or "[I" into a name as in source. Cut at `size`. */
void pm_class_name_from_signature(const char *signature, char *ret_name, size_t size);

uint64_t pm_names_memory(void);
