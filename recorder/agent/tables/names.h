/* The tables of classes and methods, interned by what they are called: two classes of one name (of
 * two loaders) are one row, overloads of one method too (lines tell them apart). Bounded; lock-free
 * to read; adding takes a lock and calls nothing. What nobody uses any more is freed
 * (epoch.h), and its id never comes back. Free of JVM. */
#pragma once

#include "format/record.h"

int pm_names_init(void); /* 0 or PM_ERROR_MEMORY */
void pm_names_clear(void);

/* `name` in UTF-8 and as in source, "java.util.concurrent.locks.ReentrantLock$NonfairSync". 0 when
 * full. */
pm_class_id pm_class_add(const char *name);
/* `name` and `file` in UTF-8; `file` may be NULL. 0 when full. */
pm_method_id pm_method_add(pm_class_id class_id, const char *name, const char *file);

/* Texts stay where they are until the row is freed: for the drain thread, which does it, and for
 * who uses the row. */
bool pm_class_get(pm_class_id id, struct pm_class *ret_class);
bool pm_method_get(pm_method_id id, struct pm_method *ret_method);

/* Turns "Ljava/util/List;" or "[I", as the JVM spells it (text.h), into a name as in source, in
 * UTF-8, cut between two characters. */
void pm_class_name_from_signature(const char *signature, char *ret_name, size_t size);

/* Marks it as used in this epoch, which adding does too. Any thread. */
void pm_class_use(pm_class_id id);
void pm_method_use(pm_method_id id);
/* As pm_chain_free_unused, of which all come first: methods, and marks the classes of the others;
 * then classes. Drain thread. */
bool pm_method_free_unused(uint32_t first, uint32_t n);
bool pm_class_free_unused(uint32_t first, uint32_t n);

uint32_t pm_class_count(void);
uint32_t pm_method_count(void);
uint64_t pm_names_memory(void);
/* More than three quarters full. */
bool pm_names_are_pressed(void);
